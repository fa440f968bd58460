package catalogue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/hubbench/hubbench/internal/tell/table"
)

// What tables have at most. parquet-go makes room for whatever a file claims to hold, so a few
// false bytes would take all memory.
const (
	maxFooter     = 1 << 20  // bytes; 130,000 rows of disks have 6 KB
	maxPageHeader = 64 << 10 // bytes
	maxPage       = 64 << 20 // bytes; writers begin a new page after 256 KB
	maxValues     = 4 << 20  // of a page
	endLength     = 8        // bytes of a file's end: the footer's length, and PAR1
)

// errDamaged is what is wrong with files whose lengths can't be true.
var errDamaged = errors.New("it is damaged, or no table of hubbench's")

// openTable opens a table after a look at every length in it, so that what is read of it takes
// memory in proportion to the file.
func openTable(file *os.File) (packed *parquet.File, err error) {
	defer recoverDamaged(&err)
	stat, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := stat.Size()
	if err := checkFooter(file, size); err != nil {
		return nil, err
	}
	packed, err = parquet.OpenFile(file, size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	for _, group := range packed.Metadata().RowGroups {
		for i := range group.Columns {
			if err := checkPages(file, size, &group.Columns[i].MetaData); err != nil {
				return nil, err
			}
		}
	}
	return packed, nil
}

// openOwn opens a table that hubbench wrote, in a version that can be written anew.
func openOwn(file *os.File) (*parquet.File, error) {
	packed, err := openTable(file)
	if err != nil {
		return nil, err
	}
	version, _ := packed.Lookup(table.VersionKey)
	if n, err := strconv.Atoi(version); err != nil || n > table.Version {
		return nil, fmt.Errorf("its table is of version %q, and this hubbench knows those up to "+
			"%d: take a newer one", version, table.Version)
	}
	return packed, nil
}

// recoverDamaged makes an error of a panic of parquet-go, which trusts what files say.
func recoverDamaged(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%w (%v)", errDamaged, cause)
	}
}

func checkFooter(file io.ReaderAt, size int64) error {
	var end [endLength]byte
	if _, err := file.ReadAt(end[:], size-endLength); err != nil {
		return errDamaged
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > min(maxFooter, size-endLength) {
		return fmt.Errorf("%w: its footer claims %d bytes", errDamaged, length)
	}
	footer := make([]byte, length)
	if _, err := file.ReadAt(footer, size-endLength-length); err != nil {
		return err
	}
	_, err := structLength(footer)
	return err
}

// checkPages checks the pages of a column in a group of rows.
func checkPages(file io.ReaderAt, size int64, column *format.ColumnMetaData) error {
	at := column.DataPageOffset
	if column.DictionaryPageOffset > 0 {
		at = column.DictionaryPageOffset
	}
	if at < 0 || column.TotalCompressedSize < 0 || column.TotalCompressedSize > size-at {
		return fmt.Errorf("%w: a column ends behind it", errDamaged)
	}
	end := at + column.TotalCompressedSize
	for at < end {
		text := make([]byte, min(maxPageHeader, end-at))
		if _, err := file.ReadAt(text, at); err != nil {
			return err
		}
		length, err := structLength(text)
		if err != nil {
			return err
		}
		var header format.PageHeader
		err = thrift.Unmarshal(new(thrift.CompactProtocol), text[:length], &header)
		if err != nil {
			return err
		}
		at += int64(length) + int64(header.CompressedPageSize)
		values := int32(0)
		if page := header.DataPageHeader; page != nil {
			values = page.NumValues
		}
		if page := header.DataPageHeaderV2; page != nil {
			values = page.NumValues
		}
		if page := header.DictionaryPageHeader; page != nil {
			values = page.NumValues
		}
		if header.CompressedPageSize < 0 || at > end || header.UncompressedPageSize < 0 ||
			header.UncompressedPageSize > maxPage || values < 0 || values > maxValues {
			return fmt.Errorf("%w: a page claims %d bytes and %d values", errDamaged,
				max(header.CompressedPageSize, header.UncompressedPageSize), values)
		}
	}
	return nil
}

// structLength returns the length of a struct in Thrift's compact protocol with which some bytes
// begin. It is an error if they don't hold all that is in it.
func structLength(text []byte) (int, error) {
	rest := bytes.NewReader(text)
	if err := skip(new(thrift.CompactProtocol).NewReader(rest), thrift.STRUCT, 0); err != nil {
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return len(text) - rest.Len(), nil
}

// maxDepth is deeper than anything in a footer.
const maxDepth = 16

// skip reads a value and keeps nothing. thrift's own takes a byte too many of flags.
func skip(r thrift.Reader, kind thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return errDamaged
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		var length int
		if length, err = r.ReadLength(); err == nil {
			_, err = io.CopyN(io.Discard, r.Reader(), int64(length))
		}
	case thrift.LIST:
		var list thrift.List
		if list, err = r.ReadList(); err != nil {
			return err
		}
		for range list.Size {
			if err := skip(r, list.Type, depth+1); err != nil {
				return err
			}
		}
	case thrift.STRUCT:
		for {
			field, err := r.ReadField()
			if err != nil || field.Type == thrift.STOP {
				return err
			}
			if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
				continue // A flag is its type, without bytes of its own.
			}
			if err := skip(r, field.Type, depth+1); err != nil {
				return err
			}
		}
	default: // Parquet has neither sets nor maps.
		err = errDamaged
	}
	return err
}
