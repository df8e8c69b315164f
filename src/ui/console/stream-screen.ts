// Stream view: what changes on the sites of the archive, as it comes. web/stream.ts follows the stream.

import { changeKinds } from '../../changes/change-event.ts'
import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { consoleScreen } from './console-screen.ts'

const barWidth = 640

export function streamScreen(site: string): Screen {
  return consoleScreen(
    'Stream',
    html`<form class="stream-filter" data-stream="/api/v1/changes">
<span class="rule-field"><label for="stream-site">Site</label><input id="stream-site" name="site" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="all" value="${site}"></span>
<span class="rule-field"><label for="stream-pattern">URLs with</label><input id="stream-pattern" name="pattern" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="a pattern"></span>
<span class="rule-field"><label for="stream-kind">Kind</label><select id="stream-kind" name="kind"><option value="">all</option>${changeKinds.map((kind) => html`<option value="${kind}">${kind}</option>`)}</select></span>
<span class="rule-field"><label for="stream-since">From</label><select id="stream-since" name="since"><option value="now">now on</option><option value="hour">the last hour on</option><option value="">the beginning</option></select></span>
<span class="stream-check"><input id="stream-cosmetic" name="cosmetic" type="checkbox" value="true"><label for="stream-cosmetic">cosmetic changes, too</label></span>
<span class="console-buttons"><button type="submit" class="primary">Follow</button><button type="button" data-pause aria-pressed="false">Pause</button></span>
</form>
<p class="stream-state" role="status" data-value="state">Waiting for the stream…</p>
<figure class="plot idle" data-rates>
<svg viewBox="0 0 ${barWidth} 160" preserveAspectRatio="none" role="img" aria-label="Events per second, the last two minutes"><path class="ground" d="M0 159.5H${barWidth}"/><path class="area" d=""/><path class="line" d=""/></svg>
<figcaption><span data-value="rate">No events yet.</span> <span class="note" data-value="kinds"></span></figcaption>
</figure>
<ol class="stream" data-events aria-label="Events, newest first"></ol>
<noscript><p>Without scripts the stream is for programs: <a href="/api/v1/changes?follow=false">all that is kept</a>, a JSON object a line, or <code>polyhistor changes --follow</code>.</p></noscript>`,
    'stream.ts',
  )
}
