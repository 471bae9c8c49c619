package mongo

import "fmt"

// checkNumber refuses a value of an option that is none of the type's constants, which begin with 1.
func checkNumber[T ~uint8](field string, v *T, last T, constants string) error {
	if v == nil || 1 <= *v && *v <= last {
		return nil
	}
	return fmt.Errorf("mongo: %s is %d, which is not one of its values: use %s", field, uint8(*v), constants)
}
