// Feeds: what changed lately on a page, below an address or on a site; and the address of the same for feed readers.

import { targetText, type WatchSighting, type WatchTarget } from '../../../changes/watches/page-watch.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { atomPath } from '../../markup/links.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { watchesTexts } from '../../texts/watches.ts'
import { sightingItem } from './watches.ts'

interface FeedData {
  readonly target: WatchTarget | undefined
  readonly sightings: readonly WatchSighting[]
  readonly mistake?: string | undefined
}

const shownMax = 50

export function feedsScreen({ target, sightings, mistake }: FeedData): Screen {
  const name = target && targetText(target)
  return {
    title: name === undefined ? sharedTexts.feeds : watchesTexts.changesOf({ name }),
    name: 'feeds',
    ...(target !== undefined && { feed: atomPath(target.kind, name!) }),
    body: html`<header class="about-url"><h1>${name === undefined ? sharedTexts.feeds : (target!.kind === 'prefix' ? watchesTexts.changesBelow : watchesTexts.changesOf)({ name: html`<bdi class="rule-name">${name}</bdi>` })}</h1>
<p>${watchesTexts.feedsLead}</p></header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${inEnglish(mistake)}</p>`}
<form class="opening compact" action="/feeds"><div class="field"><label for="feed-of">${watchesTexts.address}</label>
<input id="feed-of" name="of" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="example.org" value="${name ?? ''}"></div>
<div class="actions"><button type="submit" name="kind" value="url">${watchesTexts.thisPageButton}</button> <button type="submit" name="kind" value="prefix">${watchesTexts.belowButton}</button> <button type="submit" name="kind" value="site">${watchesTexts.siteButton}</button></div></form>
${target === undefined ? nothing : changesOf(target, sightings)}`,
  }
}

function changesOf(target: WatchTarget, sightings: readonly WatchSighting[]): Html {
  const more = sightings.length - shownMax
  return html`<section aria-labelledby="changes"><h2 id="changes">${sightings.length === 0 ? watchesTexts.noneKnown : watchesTexts.changes({ count: sightings.length })}</h2>
<p><a class="button" href="${atomPath(target.kind, targetText(target))}" type="application/atom+xml">${watchesTexts.atom}</a></p>
<ol class="sightings">${sightings.slice(0, shownMax).map((sighting) => sightingItem(sighting, target.kind !== 'url'))}</ol>
${more > 0 ? html`<p class="note">${watchesTexts.olderInFeed({ count: more })}</p>` : nothing}</section>`
}
