// What a one-time link shows before it is used: a button, which a script presses.

import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'

export function ownerScreen(code: string): Screen {
  return {
    title: 'Open this archive as its owner',
    name: 'owner',
    script: 'owner.ts',
    masthead: 'no-field',
    body: html`<section class="failure" aria-labelledby="owner">
<p class="eyebrow">One-time link</p>
<h1 id="owner">Open this archive as its owner</h1>
<p>From then on this browser may archive pages and change things here. The link works once.</p>
<form class="owner" action="/owner/${code}" method="post"><button type="submit" class="primary">Open the archive</button></form>
</section>`,
  }
}
