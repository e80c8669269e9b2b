// Package orders is the entities orders and statuses (decisions §14, §18, §20).
package orders
