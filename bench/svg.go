package main

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/shopapi/shopapi/bench/internal/peer"
)

// The dimensions of the picture, in its own units.
const (
	panelWidth  = 290
	panelHeight = 230
	marginLeft  = 56
	marginTop   = 66
	panelGap    = 34
	marginBelow = 46
)

// strokes are the colours of the peers, distinguishable with colour blindness.
var strokes = map[string]string{
	peer.Floor: "#7f7f7f", peer.Shop: "#0072b2", peer.SQL: "#e69f00", peer.PocketBase: "#cc3311",
}

// drawGrowth draws cost against rows, in a panel for each operation. Both axes are
// logarithmic, and equal in all panels.
func drawGrowth(stages []stage, names []string) string {
	low, high := decades(stages, names)
	width := marginLeft + len(growthOperations)*(panelWidth+panelGap)
	height := marginTop + panelHeight + marginBelow
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#333">`+"\n", width, height)
	b.WriteString(`<title>Cost of a request against the number of rows</title>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	drawLegend(&b, names)
	for i, operation := range growthOperations {
		p := panel{left: float64(marginLeft + i*(panelWidth+panelGap)), low: low, high: high, stages: stages}
		p.axes(&b, operation, i == 0)
		for _, name := range names {
			p.line(&b, operation, name)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// decades returns the powers of ten, in microseconds, between which all costs lie.
func decades(stages []stage, names []string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range stages {
		for _, o := range growthOperations {
			for _, name := range names {
				if cost := stages[i].cost(o, name); cost > 0 {
					low, high = min(low, math.Floor(math.Log10(cost))), max(high, math.Ceil(math.Log10(cost)))
				}
			}
		}
	}
	if low >= high { // nothing, or one power of ten
		return 0, 1
	}
	return low, high
}

func drawLegend(b *strings.Builder, names []string) {
	x := float64(marginLeft)
	for _, name := range names {
		fmt.Fprintf(b, `<line x1="%.0f" y1="18" x2="%.0f" y2="18" stroke="%s" stroke-width="2.5"/>`, x, x+22, strokes[name])
		fmt.Fprintf(b, `<text x="%.0f" y="22">%s</text>`+"\n", x+28, html.EscapeString(legend[name]))
		x += 60 + 6.4*float64(len(legend[name]))
	}
}

var legend = map[string]string{
	peer.Floor: "net/http alone, bytes prepared", peer.Shop: "shopapi over SQLite",
	peer.SQL: "hand-written, database/sql", peer.PocketBase: "PocketBase",
}

// A panel is the part of the picture for one operation.
type panel struct {
	left, low, high float64
	stages          []stage
}

func (p *panel) x(rows int) float64 {
	first, last := math.Log10(float64(p.stages[0].Rows)), math.Log10(float64(p.stages[len(p.stages)-1].Rows))
	if last == first {
		return p.left
	}
	return p.left + panelWidth*(math.Log10(float64(rows))-first)/(last-first)
}

func (p *panel) y(cost float64) float64 {
	return marginTop + panelHeight*(1-(math.Log10(cost)-p.low)/(p.high-p.low))
}

func (p *panel) axes(b *strings.Builder, operation string, labelled bool) {
	fmt.Fprintf(b, `<text x="%.0f" y="%d" font-weight="bold">%s</text>`+"\n", p.left, marginTop-14, html.EscapeString(operation))
	for exponent := p.low; exponent <= p.high; exponent++ {
		y := p.y(math.Pow(10, exponent))
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#ddd"/>`, p.left, y, p.left+panelWidth, y)
		if labelled {
			fmt.Fprintf(b, `<text x="%.0f" y="%.1f" text-anchor="end">%s</text>`+"\n", p.left-6, y+4, duration(math.Pow(10, exponent)))
		}
	}
	bottom := float64(marginTop + panelHeight)
	for _, s := range p.stages {
		x := p.x(s.Rows)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f" stroke="#333"/>`, x, bottom, x, bottom+4)
		fmt.Fprintf(b, `<text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`+"\n", x, bottom+18, short(s.Rows))
	}
	fmt.Fprintf(b, `<path d="M%.0f %d V%.0f H%.0f" fill="none" stroke="#333"/>`, p.left, marginTop, bottom, p.left+panelWidth)
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">rows</text>`+"\n", p.left+panelWidth/2, bottom+36)
}

func (p *panel) line(b *strings.Builder, operation, name string) {
	var points []string
	for i := range p.stages {
		if cost := p.stages[i].cost(operation, name); cost > 0 {
			x, y := p.x(p.stages[i].Rows), p.y(cost)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y, strokes[name])
		}
	}
	if len(points) > 0 {
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2.5"/>`+"\n", strings.Join(points, " "), strokes[name])
	}
}

// duration formats microseconds for an axis.
func duration(micros float64) string {
	switch {
	case micros >= 1e6:
		return fmt.Sprintf("%g s", micros/1e6)
	case micros >= 1e3:
		return fmt.Sprintf("%g ms", micros/1e3)
	}
	return fmt.Sprintf("%g µs", micros)
}

// short formats a number of rows for an axis.
func short(rows int) string {
	switch {
	case rows >= 1_000_000:
		return fmt.Sprintf("%dM", rows/1_000_000)
	case rows >= 1_000:
		return fmt.Sprintf("%dk", rows/1_000)
	}
	return fmt.Sprint(rows)
}
