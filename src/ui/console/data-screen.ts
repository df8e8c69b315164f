// Data view: the tree of the network on one side, what is known of the chosen place on the other.

import { type Html, html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { consoleScreen } from './console-screen.ts'
import type { ConsoleNode } from './node.ts'

interface DataView {
  readonly tree: Html
  readonly facts: Html
  readonly selected: ConsoleNode
  /** What was looked for and not found. */
  readonly unfound?: string | undefined
}

export function dataScreen({ tree, facts, selected, unfound }: DataView): Screen {
  const peer = selected.kind === 'network' ? '' : selected.peer
  return consoleScreen(
    'Data',
    html`<form class="console-find" action="/admin/find"><label for="find-site">Go to a site</label><span><input id="find-site" name="site" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.org"><input type="hidden" name="peer" value="${peer}"><button type="submit">Go</button></span></form>
${unfound === undefined ? '' : html`<p class="trouble" role="status">No peer that answers crawls ${unfound} now.</p>`}
<div class="console${selected.kind === 'network' ? '' : ' chosen'}">
<div class="console-tree">${tree}</div>
<section class="console-facts" id="facts" aria-label="What is known of it" aria-live="polite" tabindex="-1"><button type="button" class="quiet close" hidden>Close</button><div data-facts>${facts}</div></section>
</div>`,
    'console.ts',
  )
}
