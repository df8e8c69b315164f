// The popup: what the archive has of the page that is open, and what to do with it.
//
// The archive is asked as soon as the popup is opened; on a network it may ask other peers. In a private window it is asked only when the
// owner says so.

import { archivable } from './archivable.ts'
import { browserApi } from './browser-api.ts'
import { Connections } from './connection.ts'
import { element, moment, reveal } from './document.ts'
import { type ArchiveJob, Peer, PeerTrouble } from './peer.ts'

const followMs = 1_000
const followsMax = 600

const browser = browserApi()

function say(message: string, isTrouble = false): void {
  const line = element('message')
  line.textContent = message
  line.classList.toggle('trouble', isTrouble)
}

async function start(): Promise<void> {
  const connection = await new Connections(browser).current()
  if (connection === undefined) return reveal('unconnected')
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true })
  const page = archivable(tab?.url)
  element('peer').textContent = new URL(connection.origin).host
  if ('reason' in page) return say(page.reason)
  element('url').textContent = page.href
  const popup = new Popup(new Peer(connection), page.href)
  reveal('page')
  popup.listen()
  if (browser.extension.inIncognitoContext) reveal('look-up')
  else await popup.lookUp()
}

class Popup {
  readonly #peer: Peer
  readonly #url: string

  constructor(peer: Peer, url: string) {
    this.#peer = peer
    this.#url = url
  }

  listen(): void {
    const on = (id: string, act: () => Promise<unknown>) =>
      element(id).addEventListener('click', () => void tried(act))
    on('archive', () => this.#archive())
    on('look-up', () => this.lookUp())
    on('watch', () => this.#watch())
    on('versions', () => browser.tabs.create({ url: this.#peer.versionsPage(this.#url) }))
    on('newest', () => browser.tabs.create({ url: this.#peer.newestPage(this.#url) }))
  }

  async lookUp(): Promise<void> {
    await tried(async () => {
      reveal('look-up', false)
      element('known').textContent = 'Asking the archive …'
      const { count, isMore, lastMs } = await this.#peer.versions(this.#url).catch((error: unknown) => {
        element('known').textContent = ''
        throw error
      })
      const times = count === 1 ? 'one version' : `${isMore ? 'more than ' : ''}${count} versions`
      element('known').textContent =
        count === 0 ? 'Not archived yet.' : `Archived: ${times}, the last ${moment(lastMs!)}.`
      reveal('versions', count > 0)
      reveal('watch', await this.#peer.canWatch())
    })
  }

  async #archive(): Promise<void> {
    const button = element('archive') as HTMLButtonElement
    button.disabled = true
    try {
      say('Sent to the archive …')
      await this.#follow(await this.#peer.archive(this.#url))
    } finally {
      button.disabled = false
    }
  }

  /** The job goes on when the popup is closed. */
  async #follow(begun: ArchiveJob): Promise<void> {
    let job = begun
    for (let follows = 0; job.state === 'running' && follows < followsMax; follows++) {
      say('The archive is fetching it. You can close this.')
      await new Promise((resolve) => setTimeout(resolve, followMs))
      job = await this.#peer.job(job.id)
    }
    if (job.state === 'running') return
    await this.lookUp()
    const { words, isTrouble } = outcomeOf(job)
    say(words, isTrouble)
    reveal('newest', !isTrouble)
  }

  async #watch(): Promise<void> {
    await this.#peer.watch(this.#url)
    say('The archive watches this page from now on.')
  }
}

function outcomeOf(job: ArchiveJob): { words: string; isTrouble: boolean } {
  const seed = job.missing.find(({ seeds }) => seeds > 0)
  if (job.outcome === 'nothing' || seed !== undefined)
    return {
      words: `Not archived: ${seed?.words ?? 'nothing could be fetched'}. ${job.advice ?? ''}`.trim(),
      isTrouble: true,
    }
  if (job.outcome === 'partly') return { words: 'Archived, but for some of its parts.', isTrouble: false }
  return { words: 'Archived.', isTrouble: false }
}

async function tried(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const isKnown = error instanceof PeerTrouble
    say(isKnown ? error.message : 'Something went wrong in the extension. Open this again.', true)
    if (isKnown && error.kind === 'not-allowed') reveal('reconnect')
    if (!isKnown) console.error(error)
  }
}

for (const id of ['connect', 'reconnect', 'options'])
  element(id).addEventListener('click', () => void browser.runtime.openOptionsPage())
void tried(start)
