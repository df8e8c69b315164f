// Feeds: what changed lately on a page, below an address or on a site; and the address of the same for feed readers.

import { targetText, type WatchSighting, type WatchTarget } from '../../../changes/watches/page-watch.ts'
import { plural } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { atomPath } from '../../markup/links.ts'
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
    title: name === undefined ? 'Feeds' : `Changes of ${name}`,
    name: 'feeds',
    ...(target !== undefined && { feed: atomPath(target.kind, name!) }),
    body: html`<header class="about-url"><h1>${name === undefined ? 'Feeds' : html`Changes ${target!.kind === 'prefix' ? 'below' : 'of'} <span class="rule-name">${name}</span>`}</h1>
<p>Feed readers can follow what changes on archived pages and sites, without an account and without asking their servers.</p></header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${mistake}</p>`}
<form class="opening compact" action="/feeds"><div class="field"><label for="feed-of">Address</label>
<input id="feed-of" name="of" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="example.org" value="${name ?? ''}"></div>
<div class="actions"><button type="submit" name="kind" value="url">This page</button> <button type="submit" name="kind" value="prefix">Below it</button> <button type="submit" name="kind" value="site">Its site</button></div></form>
${target === undefined ? nothing : changesOf(target, sightings)}`,
  }
}

function changesOf(target: WatchTarget, sightings: readonly WatchSighting[]): Html {
  const more = sightings.length - shownMax
  return html`<section aria-labelledby="changes"><h2 id="changes">${sightings.length === 0 ? 'No changes are known' : plural(sightings.length, 'change')}</h2>
<p><a class="button" href="${atomPath(target.kind, targetText(target))}" type="application/atom+xml">Atom feed</a></p>
<ol class="sightings">${sightings.slice(0, shownMax).map((sighting) => sightingItem(sighting, target.kind !== 'url'))}</ol>
${more > 0 ? html`<p class="note">and ${plural(more, 'older one')}, in the feed</p>` : nothing}</section>`
}
