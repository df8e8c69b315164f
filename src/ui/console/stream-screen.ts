// Stream view: what changes on the sites of the archive, as it comes. web/stream.ts follows the stream.

import { changeKinds } from '../../changes/change-event.ts'
import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { sharedTexts } from '../texts/shared.ts'
import { streamTexts } from '../texts/stream.ts'
import { changeKindWords } from './change-kinds.ts'
import { consoleScreen } from './console-screen.ts'

const barWidth = 640

export function streamScreen(site: string): Screen {
  return consoleScreen(
    'stream',
    html`<form class="stream-filter" data-stream="/api/v1/changes">
<span class="rule-field"><label for="stream-site">${streamTexts.site}</label><input id="stream-site" name="site" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${streamTexts.all}" value="${site}"></span>
<span class="rule-field"><label for="stream-pattern">${streamTexts.urlsWith}</label><input id="stream-pattern" name="pattern" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${streamTexts.aPattern}"></span>
<span class="rule-field"><label for="stream-kind">${streamTexts.kind}</label><select id="stream-kind" name="kind"><option value="">${streamTexts.all}</option>${changeKinds.map((kind) => html`<option value="${kind}">${changeKindWords[kind]}</option>`)}</select></span>
<span class="rule-field"><label for="stream-since">${streamTexts.from}</label><select id="stream-since" name="since"><option value="now">${streamTexts.nowOn}</option><option value="hour">${streamTexts.lastHour}</option><option value="">${streamTexts.beginning}</option></select></span>
<span class="stream-check"><input id="stream-cosmetic" name="cosmetic" type="checkbox" value="true"><label for="stream-cosmetic">${streamTexts.cosmetic}</label></span>
<span class="console-buttons"><button type="submit" class="primary">${streamTexts.follow}</button><button type="button" data-pause aria-pressed="false">${sharedTexts.pause}</button></span>
</form>
<p class="stream-state" role="status" data-value="state">${streamTexts.waitingForStream}</p>
<figure class="plot idle" data-rates>
<svg viewBox="0 0 ${barWidth} 160" preserveAspectRatio="none" role="img" aria-label="${streamTexts.perSecond}"><path class="ground" d="M0 159.5H${barWidth}"/><path class="area" d=""/><path class="line" d=""/></svg>
<figcaption><span data-value="rate">${streamTexts.noEvents}</span> <span class="note" data-value="kinds"></span></figcaption>
</figure>
<ol class="stream" data-events aria-label="${streamTexts.newestFirst}"></ol>
<noscript><p>${streamTexts.withoutScripts({ kept: (words) => html`<a href="/api/v1/changes?follow=false">${words}</a>` })}</p></noscript>`,
    'stream.ts',
  )
}
