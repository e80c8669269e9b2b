// Package companies has two entities: stores in the edition with several storefronts,
// and vendors in the edition with several vendors. Both are companies, to which rows of
// other entities belong (decisions §11, §21). [Register] adds the entity of the edition
// to an API; the [Companies] that it returns give Go code the same rules. A single store
// is stores/1, which can be read and changed.
//
// Company 1, or the API's default company, always exists. A company can be deleted only
// if no row of any entity belongs to it: every entity whose definition has Company checks
// that ([shopapi.API.RefuseDelete]), also an entity of the host.
//
// # Vendors
//
// The shop sells the products of vendors with the status A. A pending vendor (P) does not
// sell, but its users can sign in; users of a new (N) or disabled (D) vendor cannot, from
// the next request on ([SignIn]). The users of a vendor see only their own company, and
// can change all of it except status and commission. A deleted category is removed from
// the categories of vendors. The last category of a vendor cannot be deleted, because an
// empty list means all categories.
//
// # Storefronts
//
// The contact data of a storefront, such as company_name, are the settings of the section
// Company, for which a storefront may have values of its own: see package settings.
package companies
