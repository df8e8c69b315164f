// The page of the demo. Its script (web/demo.ts) keeps it up to date; everything that it fills has its place here.

import { type Html, html, inEnglish } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { demoTexts } from '../../texts/demo.ts'
import { sharedTexts } from '../../texts/shared.ts'
import type { DemoPeerState, DemoSite, DemoState } from './demo-state.ts'

export function demoScreen(state: DemoState): Screen {
  return {
    title: demoTexts.title,
    name: 'demo',
    script: 'demo.ts',
    masthead: 'none',
    body: html`<header class="demo-head"><h1>${demoTexts.heading}</h1>
<p>${demoTexts.lead}</p></header>
<main id="main" tabindex="-1" class="demo">
<section class="demo-ring" aria-labelledby="ring"><h2 id="ring">${demoTexts.ring}</h2>
<svg viewBox="-270 -190 540 380" role="img" aria-label="${demoTexts.ringLabel}" data-ring></svg>
<p class="demo-health" role="status" data-health>${demoTexts.starting}</p>
<div class="demo-copies" data-copies></div></section>
<section aria-labelledby="peers"><h2 id="peers">${demoTexts.peers}</h2>
<ul class="demo-peers" data-peers>${state.peers.map(peerCard)}</ul></section>
<section aria-labelledby="stream"><h2 id="stream">${demoTexts.changes}</h2>
<p class="note" data-reader>${demoTexts.reader}</p>
<ol class="demo-changes" data-changes></ol></section>
<section aria-labelledby="search"><h2 id="search">${demoTexts.search}</h2>
<form class="demo-search" data-search><label>${demoTexts.words} <input name="q" type="search" placeholder="${demoTexts.soup}" required maxlength="200"></label> <button>${demoTexts.searchButton}</button></form>
<ol class="demo-hits" data-hits></ol>
<h2>${demoTexts.matters}</h2><ol class="demo-ranked" data-ranked><li class="note">${demoTexts.noRanks}</li></ol></section>
<section aria-labelledby="web"><h2 id="web">${demoTexts.web}</h2><ul class="demo-sites">${state.sites.map(siteItem)}</ul></section>
</main>`,
  }
}

function peerCard({ name }: DemoPeerState, number: number): Html {
  return html`<li class="peer-${number}" data-peer="${number}"><h3><span class="swatch"></span>${name} <small data-state>${demoTexts.stateStarting}</small></h3>
<p data-facts></p>
<p class="demo-actions"><button data-action="kill" disabled>${demoTexts.kill}</button> <button data-action="wipe" disabled>${demoTexts.wipe}</button> <button data-action="start" hidden>${demoTexts.start}</button> <a data-open hidden>${demoTexts.open}</a></p></li>
`
}

function siteItem({ title, what, live }: DemoSite, number: number): Html {
  return html`<li><strong>${title}</strong>: ${inEnglish(what)}. <a href="${live}" rel="noreferrer">${demoTexts.live}</a>, <a data-archived="${number}" hidden>${sharedTexts.allVersions}</a></li>
`
}
