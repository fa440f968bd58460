// Package html writes report.html: one file that opens offline and says who got how much bandwidth
// while all disks were busy. It draws what the analysis found and finds nothing itself. Start at Write.
//
// The page is this package's own template. go-echarts serves only to build chart options: its own page
// loads scripts from elsewhere and runs code hidden in a disk's name.
package html
