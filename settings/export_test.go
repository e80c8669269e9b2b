package settings

import "github.com/shopapi/shopapi"

// EntityOf returns the entity without an API.
func EntityOf(s *Settings) shopapi.Updater { return &entity{s} }
