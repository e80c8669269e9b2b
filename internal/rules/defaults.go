package rules

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/shopapi/shopapi"
)

// SetDefaults sets the fields of a new object that are empty and have a default. The object
// is a pointer to the struct of the plan. It calls now only for a field that needs the time.
func (p *Plan) SetDefaults(object any, now func() time.Time) {
	v := reflect.ValueOf(object).Elem()
	for i := range p.defaults {
		f := &p.defaults[i]
		switch value := v.FieldByIndex(f.index); {
		case !value.IsZero():
		case f.kind == text:
			value.SetString(f.Default)
		case f.number == 0:
			value.SetInt(now().Unix())
		default:
			value.SetInt(f.number)
		}
	}
}

// setDefault reads the value of the rule default.
func (f *field) setDefault(value string) error {
	if value == "" || f.kind != text && f.kind != number {
		return errors.New("it needs a value, and a field that is a text or a number")
	}
	f.Default, f.number = value, 0
	if f.kind == text && value == "now" {
		return errors.New("now is for numbers")
	}
	if f.kind == number && value != "now" {
		n, err := integer(value)
		if err != nil || *n == 0 {
			return errors.New("it needs now, or a whole number other than 0")
		}
		f.number = *n
	}
	return nil
}

// checkDefault finds a default that the type of the field cannot have, or that its other rules refuse.
func (f *field) checkDefault(t reflect.Type) error {
	var problems shopapi.Problems
	switch {
	case f.Default == "":
		return nil
	case t.Kind() == reflect.Pointer:
		return errors.New("the rule default is not for pointers")
	case f.kind == text:
		f.verify(reflect.ValueOf(f.Default), &problems)
	case f.number != 0:
		f.verify(reflect.ValueOf(f.number), &problems)
	}
	if err := problems.Err(); err != nil {
		return fmt.Errorf("the rule default: %w", err)
	}
	return nil
}
