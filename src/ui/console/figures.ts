// A list of facts: names and values, side by side.

import { type Html, html } from '../markup/html.ts'

export type Fact = readonly [name: Html, value: Html | readonly Html[] | string | number | undefined]

/** Those without a value are left out. */
export function factList(facts: readonly Fact[]): Html {
  return html`<dl class="facts">${facts.flatMap(([name, value]) =>
    value === undefined ? [] : [html`<div><dt>${name}</dt><dd>${value}</dd></div>`],
  )}</dl>`
}
