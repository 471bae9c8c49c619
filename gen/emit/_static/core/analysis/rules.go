package analysis

// Class says what automatic encryption does with a command.
type Class uint8

// The classes of commands.
const (
	ClassAnalyze   Class = iota + 1 // its values are marked
	ClassBypass                     // it is sent unchanged
	ClassStatement                  // not a command, but an element of a command's argument
)

// Information says where a command for Queryable Encryption carries encryptionInformation.
type Information uint8

// The places of encryptionInformation.
const (
	InformationNone      Information = iota // nowhere
	InformationMarked                       // at the top, if the command holds payloads
	InformationAlways                       // at the top
	InformationNested                       // in the explained command
	InformationNamespace                    // in the element of nsInfo
	InformationCompact                      // at the top of a compaction that needs it
)

// Default is an argument that is spelled out: as Text, or as false when Text is empty.
type Default struct{ Name, Text string }

// Forgets says which knowledge of collections a command makes wrong.
type Forgets uint8

// What to forget.
const (
	ForgetsNothing    Forgets = iota
	ForgetsCollection         // the collection that the command names
	ForgetsDatabase           // every collection of its database
	ForgetsBoth               // the two namespaces that the command and its argument to name
)

// Argument is the rule for an argument of a command. The zero Argument refuses.
type Argument uint8

// The rules for arguments.
const (
	ArgumentRefuse Argument = iota
	ArgumentPass
	ArgumentDocuments
	ArgumentDocument
	ArgumentFilter
	ArgumentSort
	ArgumentProjection
	ArgumentFields
	ArgumentBounds
	ArgumentLet
	ArgumentPipeline
	ArgumentView
	ArgumentUpdates
	ArgumentDeletes
	ArgumentOps
	ArgumentUpdate
	ArgumentArrayFilters
	ArgumentKey
	ArgumentNew
	ArgumentMulti
	ArgumentLimit
	ArgumentValidator
	ArgumentIndexes
	ArgumentCommand
	ArgumentNamespaces
	ArgumentSchema
)

// Kind says how a path is encrypted.
type Kind uint8

// The kinds of paths. KindPrefix has encrypted fields below it.
const (
	KindPlain Kind = iota
	KindPrefix
	KindRandom
	KindDeterministic
	KindEquality
	KindRange
	KindText
	KindUnindexed
	kinds
)

// Place says where a match operator may appear.
type Place uint8

// The places of match operators.
const (
	PlacePath Place = 1 << iota // in a condition on a path
	PlaceTop                    // next to paths
	PlaceBoth = PlacePath | PlaceTop
)

// Match is the rule of a match operator for a kind of path. The zero Match refuses.
type Match uint8

// The rules of match operators.
const (
	MatchRefuse Match = iota
	MatchPass
	MatchMark
	MatchList
	MatchBound
	MatchClosed
	MatchClosedList
	MatchDocument
	MatchScalar
	MatchFlag
	MatchExpression
	MatchLogical
	MatchNot
	MatchElement
	MatchRandom
	MatchUnindexed
	MatchUnsupported
)

// MatchOperator is a match operator: where it may appear, whether it belongs to the operator before it, and its rules.
type MatchOperator struct {
	Place Place
	Part  bool
	On    [kinds]Match
}

// Update is the rule of an update operator for a path. The zero Update refuses.
type Update uint8

// The rules of update operators.
const (
	UpdateRefuse Update = iota
	UpdatePass
	UpdateMark
	UpdateDocument
	UpdateRename
	UpdateEmpty // the value may say nothing
)

// UpdateOperator is an update operator. With is the other operator that its error text names.
type UpdateOperator struct {
	With                     string
	Plain, Prefix, Encrypted Update
}

// Stage is the rule for an aggregation stage. The zero Stage refuses.
type Stage uint8

// The rules for stages.
const (
	StageRefuse Stage = iota
	StagePass
	StageMatch
	StageProject
	StageAddFields
	StageUnset
	StageReplaceRoot
	StageReplaceWith
	StageGroup
	StageBucket
	StageBucketAuto
	StageSortByCount
	StageCount
	StageUnwind
	StageLookup
	StageGraphLookup
	StageUnionWith
	StageFacet
	StageRedact
	StageSort
	StageGeoNear
	StageReplace
)

// Expression is the rule for an expression operator. The zero Expression refuses.
type Expression uint8

// The rules for expression operators.
const (
	ExpressionRefuse Expression = iota
	ExpressionEvaluate
	ExpressionPass
	ExpressionLiteral
	ExpressionEqual
	ExpressionOrder
	ExpressionIn
	ExpressionCond
	ExpressionIfNull
	ExpressionSwitch
	ExpressionLet
	ExpressionMap
	ExpressionFilter
	ExpressionReduce
	ExpressionPrefix
	ExpressionSuffix
	ExpressionSubstring
	ExpressionExact
)

// Accumulator is the rule for an accumulator whose operand is encrypted. The zero Accumulator is unknown.
type Accumulator uint8

// The rules for accumulators.
const (
	AccumulatorUnknown Accumulator = iota
	AccumulatorRefuse
	AccumulatorDeterministic
)
