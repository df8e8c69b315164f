// Taking in archives of others: the form that sends them, on the first page of an empty archive and on one of its own.

import { type Html, html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { archivingTexts } from '../texts/archiving.ts'
import { ownersOnly } from './jobs/archive-now.ts'

/** Hidden until a script (web/upload.ts) can send files of any size, and tell how far they have come. */
const uploadForm: Html = html`<form class="upload" action="/api/v1/uploads" method="post" hidden>
<label for="archives">${archivingTexts.files}</label>
<input id="archives" type="file" accept=".warc,.arc,.gz,.zst,.wacz" multiple required>
<button type="submit">${archivingTexts.takeThemIn}</button>
<div class="underway" hidden><p class="note"></p><progress max="1" value="0" aria-label="${archivingTexts.shareDone}"></progress></div>
<ul class="taken" aria-live="polite"></ul>
</form>`

/** What is to be said of it, and done. */
export const takingIn: Html = html`${uploadForm}
<p>${archivingTexts.onMachine}</p><p><code>polyhistor import FILE…</code></p>`

export const uploadScript = 'upload.ts'

export function takingInScreen(isOwner: boolean): Screen {
  return {
    title: archivingTexts.takeInTitle,
    name: 'taking-in',
    script: uploadScript,
    current: 'jobs',
    body: html`<header class="about-url"><h1>${archivingTexts.takeInTitle}</h1>
<p>${archivingTexts.takeInWords}</p></header>
${isOwner ? takingIn : ownersOnly}`,
  }
}
