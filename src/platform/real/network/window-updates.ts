// Window updates: how a stream tells its other end that there is room for more.
//
// yamux tells that after every frame that comes: a second frame for each message, encrypted, written and read for itself, though
// most of the window is free. Half of it used is soon enough, as other implementations of yamux do it: the other end then has
// the other half to go on with. And nothing is told while a stream is paused: yamux forgets that it is when it is paused anew with
// what it held while it was paused before, and would then go on inviting more until that is too much.

import type { Stream } from './node.ts'

/** What yamux calls private. */
interface YamuxStream {
  readonly state: number
  readonly recvWindow: number
  readonly recvWindowCapacity: number
  sendWindowUpdate(): void
}

/** Where the stream was accepted and its opener was not told so yet: the update tells that, too. */
const justAccepted = 2

export function spareWindowUpdates(stream: Stream): void {
  const yamux = stream as unknown as YamuxStream
  const update = yamux.sendWindowUpdate.bind(yamux)
  yamux.sendWindowUpdate = () => {
    if (stream.readStatus === 'paused') return
    const isHalfFree = 2 * yamux.recvWindowCapacity > yamux.recvWindow
    if (!isHalfFree || yamux.state === justAccepted) update()
  }
}
