package users

import "golang.org/x/crypto/bcrypt"

// HashCheaply makes hashes of passwords cheap, since tests make many.
func (u *Users) HashCheaply() { u.passwordCost = bcrypt.MinCost }
