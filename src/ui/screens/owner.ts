// What a one-time link shows before it is used: a button, which a script presses.

import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { archivingTexts } from '../texts/archiving.ts'

export function ownerScreen(code: string): Screen {
  return {
    title: archivingTexts.openAsOwner,
    name: 'owner',
    script: 'owner.ts',
    masthead: 'no-field',
    body: html`<section class="failure" aria-labelledby="owner">
<p class="eyebrow">${archivingTexts.oneTimeLink}</p>
<h1 id="owner">${archivingTexts.openAsOwner}</h1>
<p>${archivingTexts.ownerWords}</p>
<form class="owner" action="/owner/${code}" method="post"><button type="submit" class="primary">${archivingTexts.openArchive}</button></form>
</section>`,
  }
}
