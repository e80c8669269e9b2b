package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"

	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/shop"
)

// webhookOptions switch webhooks on. They reach public addresses, and the receiver of the flag
// -webhook wherever it is: the operator names it, not a user.
func (s settings) webhookOptions(ctx context.Context) (webhooks.Options, error) {
	o := webhooks.Options{On: true}
	if s.webhook == "" {
		return o, nil
	}
	u, err := url.Parse(s.webhook)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return o, fmt.Errorf("-webhook must be an address such as https://erp.example.com/orders, of https or http")
	}
	o.AllowHTTP = u.Scheme == "http"
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return o, fmt.Errorf("-webhook: %w", err)
	}
	for _, a := range addresses {
		a = a.Unmap().WithZone("")
		o.AllowNetworks = append(o.AllowNetworks, netip.PrefixFrom(a, a.BitLen()))
	}
	return o, nil
}

// sendOrders has the shop send its orders to the receiver of the flag -webhook. It prints the
// secret of a new webhook once.
func (s settings) sendOrders(ctx context.Context, sh *shop.Shop, out io.Writer) error {
	if s.webhook == "" {
		return nil
	}
	for hook, err := range sh.Webhooks.All(ctx, webhooks.Filter{}) {
		if err != nil || hook.URL == s.webhook {
			return err
		}
	}
	_, secret, err := sh.Webhooks.Create(ctx, webhooks.Webhook{
		URL: s.webhook, Events: webhooks.NewEvents("orders.*"), Description: "Made by -webhook",
	})
	if err != nil {
		return fmt.Errorf("-webhook: %w", err)
	}
	fmt.Fprintf(out, "Orders are sent to the receiver of -webhook. The secret that signs them is shown this once:\n\n\t%s\n\n", secret)
	return nil
}
