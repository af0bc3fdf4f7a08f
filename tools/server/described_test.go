package server

import (
	"net/http"
	"testing"
)

func described(t *testing.T, s *Server) http.Handler { return s }
