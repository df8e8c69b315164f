// The options: which archive the extension is connected to.

import { browserApi } from './browser-api.ts'
import { Connections, offerOf } from './connection.ts'
import { element, reveal } from './document.ts'
import { keyFor, PeerTrouble } from './peer.ts'

const connections = new Connections(browserApi())
const [address, token] = [element('address') as HTMLInputElement, element('token') as HTMLInputElement]

function say(message: string, isTrouble = false): void {
  const line = element('message')
  line.textContent = message
  line.classList.toggle('trouble', isTrouble)
}

async function show(): Promise<void> {
  const connection = await connections.current()
  element('connected-to').textContent = connection?.origin ?? ''
  reveal('connected', connection !== undefined)
}

async function connect(): Promise<void> {
  const offer = offerOf(address.value, token.value)
  if (typeof offer === 'string') return say(offer, true)
  // First of all: the browser asks only while it handles a click.
  if (!(await connections.allow(offer.origin)))
    return say('Without the right to reach this address the extension cannot be connected.', true)
  await connections.keep(await keyFor(offer))
  address.value = token.value = ''
  say('Connected.')
  await show()
}

async function tried(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const isKnown = error instanceof PeerTrouble
    say(isKnown ? error.message : 'Something went wrong in the extension.', true)
    if (!isKnown) console.error(error)
  }
}

element('connect').addEventListener('submit', (event) => {
  event.preventDefault()
  void tried(connect)
})
element('disconnect').addEventListener('click', () => {
  void tried(async () => {
    await connections.end()
    say('The key is forgotten. To make it worthless, run `polyhistor link --revoke`.')
    await show()
  })
})
void tried(show)
