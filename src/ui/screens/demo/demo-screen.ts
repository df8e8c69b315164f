// The page of the demo. Its script (web/demo.ts) keeps it up to date; everything that it fills has its place here.

import { type Html, html } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import type { DemoPeerState, DemoSite, DemoState } from './demo-state.ts'

export function demoScreen(state: DemoState): Screen {
  return {
    title: 'Polyhistor: five peers keep a little web',
    name: 'demo',
    script: 'demo.ts',
    masthead: 'none',
    body: html`<header class="demo-head"><h1>Five peers keep a little web</h1>
<p>They run on this machine. Four sites change while you watch; the peers crawl them together, keep three copies of every capture, and tell each change. <strong>Kill one</strong>: nothing is lost, and the others make up for its copies.</p></header>
<main id="main" tabindex="-1" class="demo">
<section class="demo-ring" aria-labelledby="ring"><h2 id="ring">The ring</h2>
<svg viewBox="-270 -190 540 380" role="img" aria-label="Which peer owns which part of the ring, and where the sites lie" data-ring></svg>
<p class="demo-health" role="status" data-health>The peers are starting.</p>
<div class="demo-copies" data-copies></div></section>
<section aria-labelledby="peers"><h2 id="peers">The peers</h2>
<ul class="demo-peers" data-peers>${state.peers.map(peerCard)}</ul></section>
<section aria-labelledby="stream"><h2 id="stream">What changes</h2>
<p class="note" data-reader>One consumer reads the stream from one peer. When that one is killed it goes on at another.</p>
<ol class="demo-changes" data-changes></ol></section>
<section aria-labelledby="search"><h2 id="search">Search</h2>
<form class="demo-search" data-search><label>Words in any page, asked of any peer <input name="q" type="search" placeholder="soup" required maxlength="200"></label> <button>Search</button></form>
<ol class="demo-hits" data-hits></ol>
<h2>What matters most</h2><ol class="demo-ranked" data-ranked><li class="note">Ranks are computed when there are links.</li></ol></section>
<section aria-labelledby="web"><h2 id="web">The little web</h2><ul class="demo-sites">${state.sites.map(siteItem)}</ul></section>
</main>`,
  }
}

function peerCard({ name }: DemoPeerState, number: number): Html {
  return html`<li class="peer-${number}" data-peer="${number}"><h3><span class="swatch"></span>${name} <small data-state>starting</small></h3>
<p data-facts></p>
<p class="demo-actions"><button data-action="kill" disabled>Kill it</button> <button data-action="wipe" disabled>Destroy its disk</button> <button data-action="start" hidden>Start it again</button> <a data-open hidden>Open its archive</a></p></li>
`
}

function siteItem({ title, what, live }: DemoSite, number: number): Html {
  return html`<li><strong>${title}</strong>: ${what}. <a href="${live}" rel="noreferrer">Live</a>, <a data-archived="${number}" hidden>all versions</a></li>
`
}
