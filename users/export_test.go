package users

import "golang.org/x/crypto/bcrypt"

// HashCheaply makes hashes of passwords cheap, since tests make many. It returns
// the number of hashes made from now on.
func (u *Users) HashCheaply() (made *int) {
	made = new(int)
	u.hash = func(password string) (string, error) {
		*made++
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		return string(hash), err
	}
	return made
}

// Sorts returns the sort keys of users.
func Sorts() (keys []string) {
	for _, s := range sorts {
		keys = append(keys, s.Key)
	}
	return keys
}
