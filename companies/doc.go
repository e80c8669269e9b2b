// Package companies is the entities stores, in the edition with several storefronts,
// and vendors, in the one with vendors: the companies that rows of other entities
// belong to (decisions §11, §21). [Register] adds the one of the edition to an API; the
// [Companies] that it returns give Go code the same rules. A single store has neither.
//
// Company 1, or the API's default one, is there from the start. A company goes only
// when no row of any entity names it: each entity whose definition has Company is
// asked ([shopapi.API.RefuseDelete]), a host's own too.
//
// # Vendors
//
// Of the vendors with the status A goods are sold. One that waits (P) is not sold of,
// and its users sign in; those of a new (N) or disabled (D) one cannot, from the next
// request on ([SignIn]). A vendor's users see their own company alone, and change all
// of it but status and commission. A category goes out of their lists of categories when
// it is deleted; the last one of a list cannot be, since an empty list stands for all.
//
// # Storefronts
//
// The contact data of a storefront, company_name and the like, are the settings of the
// section Company, of which a storefront may have values of its own: see package
// settings.
package companies
