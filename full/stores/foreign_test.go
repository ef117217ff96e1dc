package stores

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/store"
)

// A proxy may answer with a page of its own, without the headers that a store always sends. Azure's library panics then.
func TestForeignAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html></html>"))
	}))
	defer server.Close()
	// the library reads the account once in a process: it is the one of the other tests
	t.Setenv("AZURE_STORAGE_ACCOUNT", storestest.AzureAccount)
	t.Setenv("AZURE_STORAGE_KEY", storestest.AzureKey)
	a, err := store.ParseAddress("az://container/t.csv?protocol=http&localemu=true&domain=" +
		strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := openAzure(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Stat(t.Context(), "t.csv"); store.KindOf(err) != store.Unavailable {
		t.Errorf("the attributes: %v", err)
	}
	if _, err := b.Read(t.Context(), store.Object{Key: "t.csv", Size: 10, Version: `"v"`}, 0, 10); err == nil {
		t.Error("the page was read as the object")
	}
	if err := b.List(t.Context(), "", func(store.Object) error { return nil }); err == nil {
		t.Error("the page was read as a list")
	}
}
