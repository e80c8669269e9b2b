// Codes of fields in words.

// codeNames are the words for codes of fields that staff changes every day.
export const codeNames = {
  tracking: { B: "Track the stock", D: "Do not track", O: "Track by options" },
  out_of_stock_actions: { N: "Not sold", B: "Buy in advance", S: "Sign up for notification" },
  zero_price_action: { R: "Not sold", P: "Sold", A: "Customers enter a price" },
  options_type: { P: "All at once", S: "One after another" },
  exceptions_type: { A: "Only these combinations", F: "All but these combinations" },
  user_type: { A: "Administrator", V: "Vendor's user", C: "Customer" },
  option_type: { S: "List", R: "Choice", C: "Checkbox", I: "Text", T: "Long text", F: "File" },
};
