// Storage view: what lies on the disk of this peer, what is saved and what is dead, copies in the network, rot and repair.

import type { StorageFacts } from '../../console/console.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { plural, printBytes, printCount, printShare } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { copiesHistogram } from '../screens/status/network-status.ts'
import { soundnessSection } from '../screens/status/soundness.ts'
import { savings } from '../screens/status/status.ts'
import { actionButton } from './action-forms.ts'
import { consoleScreen } from './console-screen.ts'

interface StorageData {
  readonly storage: StorageFacts
  readonly network: NetworkStatus
  /** Of the volumes that are listed. */
  readonly from: number
  readonly notice: Html
}

const volumesShown = 50

export function storageScreen({ storage, network, from, notice }: StorageData): Screen {
  const { captures, distinctPayloads, bytes, volumes, soundness } = storage
  const deadBytes = volumes.reduce((sum, volume) => sum + volume.deadBytes, 0)
  const volumeBytes = volumes.reduce((sum, volume) => sum + volume.bytes, 0)
  const isShared = network.network.kind !== 'alone'
  return consoleScreen(
    'Storage',
    html`${notice}<dl class="figures large">
<div><dt>on disk</dt><dd>${printBytes(bytes.onDisk)}</dd></div>
<div><dt>captures</dt><dd>${printCount(captures)}</dd></div>
<div><dt>different contents</dt><dd>${printCount(distinctPayloads)}</dd></div>
<div><dt>dead space</dt><dd>${printShare(deadBytes, volumeBytes)}</dd></div>
</dl>
<section aria-labelledby="saved"><h2 id="saved">What deduplication, deltas and compression save</h2>${savings(bytes)}</section>
<section aria-labelledby="volumes"><h2 id="volumes">${plural(volumes.length, 'volume')}</h2>
<p>${printBytes(deadBytes)} of ${printBytes(volumeBytes)} are dead: dropped, taken down or replaced. They are given back when a volume is rewritten.</p>
${volumeTable(volumes.slice(from, from + volumesShown))}${volumePages(volumes.length, from)}
<div class="console-buttons">${actionButton({ action: 'compact', label: 'Give back dead space', of: {}, back: 'storage' })}</div></section>
${isShared ? networkCopies(network) : nothing}
${soundnessSection(soundness)}
${upkeepNote(storage)}
<div class="console-buttons">${actionButton({ action: 'scrub', label: 'Read everything for rot now', of: {}, back: 'storage' })}</div>`,
  )
}

function volumeTable(volumes: StorageFacts['volumes']): Html {
  if (volumes.length === 0) return html`<p class="note">None yet.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Volumes"><table class="list"><thead><tr><th scope="col">volume</th><th scope="col">state</th><th scope="col">size</th><th scope="col">dead</th></tr></thead><tbody>${volumes.map(
    ({ path, state, bytes, deadBytes }) =>
      html`<tr><th scope="row"><code title="${path}">${path.slice(path.lastIndexOf('/') + 1)}</code></th><td>${state}</td><td>${printBytes(bytes)}</td><td>${deadBytes === 0 ? '–' : `${printBytes(deadBytes)}, ${printShare(deadBytes, bytes)}`}</td></tr>`,
  )}</tbody></table></div>`
}

function volumePages(count: number, from: number): Html {
  if (count <= volumesShown) return nothing
  const link = (to: number, words: string): Html =>
    html`<a class="button" href="/admin/storage?from=${to}#volumes">${words}</a>`
  return html`<p class="paging">${from > 0 ? link(Math.max(0, from - volumesShown), 'Earlier') : nothing}${from + volumesShown < count ? link(from + volumesShown, 'Later') : nothing}</p>`
}

function networkCopies(network: NetworkStatus): Html {
  const { sums } = network
  return html`<section aria-labelledby="copies"><h2 id="copies">Copies in the network, and repair</h2>${copiesHistogram(network)}
<dl class="figures"><div><dt>entries to copy</dt><dd>${printCount(sums.queue)}</dd></div><div><dt>copied</dt><dd>${printBytes(sums.bytesPerSecond)}/s</dd></div><div><dt>queues of sites to copy</dt><dd>${printCount(sums.sitesToCopy)}</dd></div></dl>
<p class="note">What has too few copies is copied by itself, at most at <code>ring.repairRate</code>.</p></section>`
}

function upkeepNote({ upkeep, isScrubbing }: StorageFacts): Html {
  if (upkeep === undefined)
    return isScrubbing
      ? html`<p class="note">Everything is being read, slowly, in the background.</p>`
      : nothing
  const { task, startedAtMs, share, outcome } = upkeep
  const name = task === 'scrub' ? 'Reading everything for rot' : 'Giving back dead space'
  if (outcome !== undefined)
    return html`<p class="note">${name}, begun ${momentElement(startedAtMs)}: ${outcome}</p>`
  return html`<p role="status">${name}: ${printShare(share, 1)} done. <progress max="1" value="${share.toFixed(3)}" aria-label="${name}"></progress></p>`
}
