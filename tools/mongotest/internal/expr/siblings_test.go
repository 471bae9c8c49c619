package expr_test

import (
	"fmt"
	"testing"
)

// The same operator on every type of number. Each column is the result for that type; an empty one is that of the double, because
// the operator gives doubles for ints and longs alike.
func TestSiblingsOfNumbers(t *testing.T) {
	decimal := func(s string) string { return fmt.Sprintf(`{$numberDecimal:'%s'}`, s) }
	long := func(s string) string { return fmt.Sprintf(`{$numberLong:'%s'}`, s) }
	for _, row := range []struct{ expr, of, int, long, double, decimal string }{
		{`{$abs:@}`, "-9", "9", "9", "9.0", "9"},
		{`{$ceil:@}`, "-9", "-9", "-9", "-9.0", "-9"},
		{`{$floor:@}`, "-9", "-9", "-9", "-9.0", "-9"},
		{`{$round:@}`, "-9", "-9", "-9", "-9.0", "-9"},
		{`{$round:[@,2]}`, "9", "9", "9", "9.0", "9.00"},
		{`{$round:[@,-1]}`, "16", "20", "20", "20.0", "2E+1"},
		{`{$trunc:@}`, "-9", "-9", "-9", "-9.0", "-9"},
		{`{$trunc:[@,2]}`, "9", "9", "9", "9.0", "9.00"},
		{`{$trunc:[@,-1]}`, "16", "10", "10", "10.0", "1E+1"},
		{`{$add:[@,1]}`, "9", "10", "10", "10.0", "10"},
		{`{$subtract:[@,1]}`, "9", "8", "8", "8.0", "8"},
		{`{$multiply:[@,2]}`, "9", "18", "18", "18.0", "18"},
		{`{$divide:[@,2]}`, "9", "", "", "4.5", "4.5"},
		{`{$mod:[@,4]}`, "9", "1", "1", "1.0", "1"},
		{`{$pow:[@,2]}`, "9", "81", "81", "81.0", "81.00000000000000000000000000000000"},
		{`{$pow:[@,0]}`, "9", "1", "1", "1.0", "1"},
		{`{$pow:[@,-1]}`, "8", "", "", "0.125", "0.1250000000000000000000000000000000"},
		{`{$sqrt:@}`, "9", "", "", "3.0", "3"},
		{`{$exp:@}`, "0", "", "", "1.0", "1"},
		{`{$ln:@}`, "1", "", "", "0.0", "0"},
		{`{$log10:@}`, "100", "", "", "2.0", "2"},
		{`{$log10:@}`, "2", "", "", "0.3010299956639812", "0.3010299956639811952137388947244930"},
		{`{$log:[@,2]}`, "8", "", "", "3.0", "3"},
		{`{$sin:@}`, "1", "", "", "0.8414709848078965", "0.8414709848078965066525023216302990"},
		{`{$cos:@}`, "0", "", "", "1.0", "1"},
		{`{$atan:@}`, "1", "", "", "0.7853981633974483", "0.7853981633974483096156608458198757"},
		{`{$sum:[@,1]}`, "9", "10", "10", "10.0", "10"},
		{`{$avg:[@,10]}`, "9", "", "", "9.5", "9.5"},
		{`{$max:[@,1]}`, "9", "9", "9", "9.0", "9"},
		{`{$toInt:@}`, "9", "9", "!9", "!9", "!9"},
		{`{$toString:@}`, "9", "'9'", "'9'", "'9'", "'9'"},
		{`{$toBool:@}`, "9", "true", "true", "true", "true"},
		{`{$isNumber:@}`, "9", "true", "true", "true", "true"},
	} {
		result := func(of, v string, typed func(string) string) outcome {
			e := ""
			for _, r := range row.expr {
				if r == '@' {
					e += of
				} else {
					e += string(r)
				}
			}
			switch {
			case v == "":
				v = row.double
			case v[0] == '!':
				v = v[1:]
			case typed != nil && v[0] != '\'' && v != "true":
				v = typed(v)
			}
			return gives(e, e, v)
		}
		double := row.of + ".0"
		check(t, []outcome{
			result(row.of, row.int, nil), result(long(row.of), row.long, long), result(double, row.double, nil),
			result(decimal(row.of), row.decimal, decimal),
		})
	}
}

func TestDecimalsAtTheirLimits(t *testing.T) {
	const most = `{$numberDecimal:'9.999999999999999999999999999999999E+6144'}`
	const digits = `{$numberDecimal:'1.123456789012345678901234567890123'}`
	check(t, []outcome{
		gives("a decimal that has no room for its places", `{$round:`+most+`}`, most),
		gives("one that is cut", `{$trunc:`+most+`}`, most),
		gives("one that goes down", `{$floor:`+most+`}`, `{$numberDecimal:'NaN'}`),
		gives("one that goes up", `{$ceil:`+most+`}`, `{$numberDecimal:'NaN'}`),
		gives("more places than digits", `{$round:[`+digits+`,100]}`, digits),
		gives("as many places as digits", `{$round:[`+digits+`,33]}`, digits),
		gives("fewer", `{$round:[`+digits+`,32]}`, `{$numberDecimal:'1.12345678901234567890123456789012'}`),
		gives("zeros of a whole number", `{$floor:{$numberDecimal:'1.000'}}`, `{$numberDecimal:'1'}`),
		gives("the sum of opposites", `{$subtract:[`+most+`,`+most+`]}`, `{$numberDecimal:'0E+6111'}`),
		gives("zeros of a sum", `{$add:[{$numberDecimal:'1.5'},{$numberDecimal:'2.5'}]}`, `{$numberDecimal:'4.0'}`),
		gives("a power of one", `{$pow:[{$numberDecimal:'1'},5]}`, `{$numberDecimal:'1'}`),
		gives("a power of zero", `{$pow:[{$numberDecimal:'0'},5]}`, `{$numberDecimal:'0'}`),
		gives("an exponential that is almost one", `{$exp:{$numberDecimal:'1E-6143'}}`, `{$numberDecimal:'1'}`),
	})
}

func TestOrderOfSortArray(t *testing.T) {
	check(t, []outcome{
		refuses("a number", `{$sortArray:{input:[1],sortBy:2}}`, 2942506, "1 or -1"),
		refuses("a fraction", `{$sortArray:{input:[1],sortBy:1.5}}`, 2942506, "1 or -1"),
		refuses("a text", `{$sortArray:{input:[1],sortBy:'x'}}`, 2942507, "string"),
		refuses("null", `{$sortArray:{input:[1],sortBy:null}}`, 2942507, "null"),
		refuses("no field", `{$sortArray:{input:[1],sortBy:{}}}`, 2942505, "name fields"),
		refuses("a direction", `{$sortArray:{input:[1],sortBy:{a:2}}}`, 2942505, "name fields"),
		refuses("a direction in words", `{$sortArray:{input:[1],sortBy:{a:'asc'}}}`, 2942505, "name fields"),
	})
}

func TestRanksOfPercentiles(t *testing.T) {
	of := func(p string) string { return `{$percentile:{input:[1,2],method:'approximate',p:` + p + `}}` }
	check(t, []outcome{
		refuses("a field", of(`'$a'`), 7750300, "constant"),
		refuses("a field in a list", of(`['$a']`), 7750300, "constant"),
		refuses("no list", of(`0.5`), 7750301, "array"),
		refuses("an empty list", of(`[]`), 7750301, "array"),
		refuses("a text", of(`['x']`), 7750302, "numeric"),
		refuses("beyond one", of(`[0.5,2]`), 7750303, "[0.0, 1.0]"),
		refuses("no arguments", `{$percentile:5}`, 7436200, "must be an object"),
		refuses("no arguments of a median", `{$median:5}`, 7436201, "must be an object"),
	})
}
