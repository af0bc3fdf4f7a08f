package cohort

import (
	"net/http/httptest"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/bagscope/bagscope/internal/must"
)

// forget lets the next test open a store anew.
func forget(t *testing.T, scheme string) {
	t.Helper()
	stores.Delete(scheme)
	t.Cleanup(func() { stores.Delete(scheme) })
}

// s3Store stands in for Amazon's: the client finds it by the variables by which it finds any.
func s3Store(t *testing.T, bucket string) {
	t.Helper()
	backend := s3mem.New()
	must.Do(t, backend.CreateBucket(bucket))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	forget(t, "s3")
}

// gsStore stands in for Google's.
func gsStore(t *testing.T, bucket string) {
	t.Helper()
	server := must.Get(fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http",
		Host: "127.0.0.1", PublicHost: "127.0.0.1"}))(t)
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
	t.Setenv("STORAGE_EMULATOR_HOST", server.URL())
	forget(t, "gs")
}
