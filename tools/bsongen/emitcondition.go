package main

// keepCondition returns the condition under which the field is written, empty if it always is.
func (e *emitter) keepCondition(f field) string {
	empty, zero := "", ""
	if f.omitEmpty {
		empty = e.notEmptyCondition(f)
	}
	if f.omitZero {
		zero = e.notZeroCondition(f)
	}
	if empty != "" && zero != "" {
		return empty + " && " + zero
	}
	return empty + zero
}

func (e *emitter) notEmptyCondition(f field) string {
	form := e.model.formOf(f.typ)
	if condition := e.notDefaultCondition(f, form); condition != "" {
		return condition
	}
	switch form {
	case aBytes, aSlice, aMap:
		return "len(" + f.expr + ") != 0"
	case aStruct:
		return ""
	case aPointer:
		if !hasMethod(elemOf(f.typ), "IsZero") {
			return f.expr + " != nil"
		}
	}
	return "!" + e.impl("IsEmpty") + "(&" + f.expr + ")"
}

func (e *emitter) notZeroCondition(f field) string {
	form := e.model.formOf(f.typ)
	if condition := e.notDefaultCondition(f, form); condition != "" {
		return condition
	}
	switch form {
	case aBytes, aSlice, aMap, aPointer:
		return f.expr + " != nil"
	}
	return "!" + e.impl("IsZero") + "(&" + f.expr + ")"
}

// notDefaultCondition returns the condition of a field for which empty and zero are the same. It is "" for other fields.
func (e *emitter) notDefaultCondition(f field, form form) string {
	if form != viaPackage && form != aPointer && hasMethod(f.typ, "IsZero") {
		return "!" + f.expr + ".IsZero()"
	}
	switch form {
	case aBool:
		return f.expr
	case anInt, aShortInt, aLongInt, aShortUint, aLongUint, aFloat, aDateTime:
		return f.expr + " != 0"
	case aString:
		return f.expr + ` != ""`
	}
	return ""
}
