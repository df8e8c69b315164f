// The button that archives a page now, wherever it is offered.

import { type ArchiveRequest, requestScopes } from '../../archive.ts'
import { type Html, html } from '../../markup/html.ts'
import { archivingTexts } from '../../texts/archiving.ts'
import { sharedTexts } from '../../texts/shared.ts'

const scopeNames: Readonly<Record<ArchiveRequest['scope'], Html>> = {
  page: archivingTexts.scopePage,
  prefix: archivingTexts.scopePrefix,
  host: archivingTexts.scopeHost,
  site: archivingTexts.scopeSite,
}

/** How far a crawl goes, in words; a list of seeds may have scopes that no form offers. */
export function scopeWords(scope: string): Html | string {
  return Object.hasOwn(scopeNames, scope) ? scopeNames[scope as ArchiveRequest['scope']] : scope
}

export function scopeChoice(id: string): Html {
  return html`<span class="choice"><label for="${id}">${archivingTexts.howFar}</label>
<select id="${id}" name="scope">${requestScopes.map((scope) => html`<option value="${scope}">${scopeNames[scope]}</option>`)}</select></span>`
}

/** Instead of what only the owner may do. */
export const ownersOnly: Html = html`<p class="note owners-only">${archivingTexts.ownersOnly}</p>`

export function archiveNowForm(url: string, isOwner: boolean): Html {
  if (!isOwner) return ownersOnly
  return html`<form class="archive-now" action="/save" method="post">
<input type="hidden" name="url" value="${url}">
<button type="submit" class="primary">${sharedTexts.archiveItNow}</button>
${scopeChoice('archive-scope')}
</form>`
}

/** A small one, where the page is known and nothing needs to be chosen. */
export function archiveAgainForm(url: string): Html {
  return html`<form class="archive-again" action="/save" method="post"><input type="hidden" name="url" value="${url}"><input type="hidden" name="scope" value="page"><button type="submit" class="quiet">${sharedTexts.archiveItNow}</button></form>`
}
