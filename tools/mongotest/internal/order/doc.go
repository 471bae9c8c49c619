// Package order sorts documents by a sort document such as {age: -1, name: 1}.
package order
