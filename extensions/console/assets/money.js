// Amounts and times as staff read them.

import { language, t } from "./words.js";

let currency = "";

// setCurrency sets the code of the shop's currency, such as EUR.
export const setCurrency = (code) => { currency = /^[A-Z]{3}$/.test(code) ? code : ""; };

// money is an amount with two decimals, and the currency where it is known: the shop's, if it
// is no other.
export function money(amount, code = currency) {
  const n = Number(amount || 0);
  const style = code ? { style: "currency", currency: code } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(language(), style).format(n);
}

// counted is a number of orders in words.
export const counted = (n) => (n === 1 ? t("1 order") : t("{n} orders", { n }));

const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

// ago is how long ago a time in seconds was. Words such as yesterday or last year would be of the
// calendar: two mornings ago is a day and some hours, and not yesterday.
export function ago(seconds) {
  const past = Date.now() / 1000 - Number(seconds);
  const [unit, length] = units.find(([, n]) => past >= n) || ["minute", 60];
  return new Intl.RelativeTimeFormat(language(), { numeric: past < 60 ? "auto" : "always" }).format(-Math.floor(past / length), unit);
}

// date is the day of a time in seconds, or the number where no calendar goes so far.
export function date(seconds) {
  const at = new Date(Number(seconds) * 1000);
  return isNaN(at) ? String(seconds) : new Intl.DateTimeFormat(language(), { dateStyle: "medium" }).format(at);
}
