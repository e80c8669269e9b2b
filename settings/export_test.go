package settings

import "github.com/shopapi/shopapi"

// EntityOf answers for settings without an API.
func EntityOf(s *Settings) shopapi.Updater { return &entity{s} }
