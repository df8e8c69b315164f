// Whether what is kept is still what was kept: what reading everything to find rot has come to.

import type { SoundnessStatus } from '../../../model/peer-status.ts'
import { plural, printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html } from '../../markup/html.ts'

export function soundnessSection({ passedAtMs, found, mended, damaged }: SoundnessStatus): Html {
  const passed = passedAtMs === null ? 'not yet' : momentElement(passedAtMs)
  return html`<section aria-labelledby="soundness"><h2 id="soundness">Is it sound?</h2>
${damaged > 0 ? html`<p class="trouble"><strong>Damaged:</strong> ${plural(damaged, 'record')} on disk cannot be read as written, and no good copy has been found yet.</p>` : ''}
<dl class="figures">
<div><dt>all was read to find rot</dt><dd>${passed}</dd></div>
<div><dt>damaged records found</dt><dd>${printCount(found)}</dd></div>
<div><dt>mended</dt><dd>${printCount(mended)}</dd></div>
</dl>
<p class="note">A running peer reads all it keeps once in a while (<code>store.scrubEvery</code>), and mends what has rotted with the copies of other peers.</p>
</section>`
}
