package mcp_test

import "encoding/json"

// small is a document with what the documents of shops have.
var small = json.RawMessage(`{
	"openapi": "3.1.0",
	"info": {"title": "A shop", "version": "2.0"},
	"paths": {
		"/products": {
			"get": {"operationId": "products_list", "summary": "List products", "parameters": [
				{"$ref": "#/components/parameters/page"},
				{"name": "ids", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}},
				{"name": "odd name", "in": "query", "schema": {"type": "string"}},
				{"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}]},
			"post": {"operationId": "products_create", "summary": "Create a product",
				"parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
				"requestBody": {"content": {"application/json": {"schema": {"allOf": [
					{"$ref": "#/components/schemas/Product"}, {"required": ["product"]}]}}}}}
		},
		"/products/{product_id}": {
			"parameters": [{"name": "product_id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"get": {"operationId": "products_get", "summary": "Read a product"},
			"put": {"operationId": "products_update", "summary": "Change a product",
				"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Product"}}}}},
			"delete": {"operationId": "products_delete", "summary": "Delete a product"}
		},
		"/products/{product_id}/options": {
			"parameters": [{"name": "product_id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"get": {"operationId": "products_options_list", "summary": "List options"}
		},
		"/statuses": {"get": {"operationId": "statuses_list", "summary": "List statuses"}},
		"/statuses/{status_id}": {
			"parameters": [{"name": "status_id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"get": {"operationId": "statuses_get", "summary": "Read a status"}},
		"/orders/{order_id}": {
			"parameters": [{"name": "order_id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"get": {"operationId": "orders_get", "summary": "Read an order"}},
		"/orders/{order_id}/issue_invoice": {
			"parameters": [{"name": "order_id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"post": {"operationId": "orders_issue_invoice", "summary": "Issue an invoice"}},
		"/taxes": {"get": {"operationId": "taxes_list", "summary": "List taxes"}},
		"/auth": {"post": {"operationId": "auth_create", "summary": "Create a link"}},
		"/users/{user_id}/keys": {"get": {"operationId": "users_keys_list", "summary": "List keys"}}
	},
	"components": {
		"parameters": {"page": {"name": "page", "in": "query", "description": "The page, from 1.", "schema": {"type": "integer"}}},
		"schemas": {"Product": {"type": "object", "x-order": ["product"], "properties": {
			"product": {"type": "string"},
			"price": {"type": ["string", "number"]},
			"payment_info": {"type": "object"},
			"parts": {"type": "array", "items": {"$ref": "#/components/schemas/Product"}}}}}
	}
}`)
