# Runs test files and prints what the Go program reads: tests.pl [--skip=EXPRESSION ...] FILE ...
use strict;
use warnings;
use Getopt::Long;
use TAP::Parser;

my @skips;
GetOptions('skip=s' => \@skips) or exit 2;
$| = 1;
my ($count, @notes) = (0);

# say prints a test, and with one that failed the lines that came before it.
sub say {
    my ($ok, $name, $skip) = @_;
    $count++;
    print $ok ? 'ok' : 'not ok', " - $name", defined $skip ? " # SKIP $skip" : '', "\n";
    if (!$ok) {
        s/^[\s#]+//, print "# $_\n" for @notes;
    }
    @notes = ();
}

sub note {
    push @notes, @_;
    shift @notes while @notes > 15;
}

for my $file (map { glob } @ARGV) {
    next if grep { $file =~ /$_/ } @skips;
    my $parser = TAP::Parser->new({source => $file, switches => ['-Ilib', '-It/lib'], merge => 1});
    my ($last, $failed) = (0, 0);
    while (my $result = $parser->next) {
        if (!$result->is_test) {
            note($result->as_string);
            next;
        }
        my $what = $result->description || $result->number;
        $what =~ s/^- //;
        $what =~ s/[^ -~]/?/g;
        say($result->is_ok, "$file: $what", $result->has_skip ? $result->explanation : undef);
        $last = $what;
        $failed ||= !$result->is_ok;
    }
    say(1, $file, $parser->skip_all) if $parser->skip_all;
    say(0, "$file: the file comes to its end") if !$failed && ($parser->exit || !$parser->is_good_plan);
    say(0, "$file: after $last the file comes to its end") if $failed && !$parser->is_good_plan;
}
print "1..$count\n";
