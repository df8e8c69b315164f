// What peers tell each other so that those behind routers are reached, as bytes. One question and one answer a stream.
//
//   seen      where do you see this connection come from
//   callBack  dial me where you see me, at these ports                  → the ports at which I answered
//   prepare   make a way out towards me; here is where I can be dialled  → where you would come from, or that you have dialled me
//   go        dial me there, now
//   moved     this is where I am reached from now on

import { flag, number, printable } from '../../../../formats/wire/message-fields.ts'
import { list, type Out, record, union } from '../../../../formats/wire/message-schema.ts'

export const portsMax = 4
export const addressesMax = 16
const address = printable(255)
const port = number(65_535)

export const reachQuestion = union('question of how a peer is reached', {
  seen: {},
  callBack: { ports: list(port, portsMax) },
  prepare: { addresses: list(address, addressesMax) },
  go: { addresses: list(address, addressesMax) },
  moved: { addresses: list(address, addressesMax) },
})
export type ReachQuestion = Out<typeof reachQuestion>

export const reachAnswer = record({
  /** Where the question came from. */
  seen: address,
  /** Where the asker answered. */
  ports: list(port, portsMax),
  /** Where the answerer would come from. */
  addresses: list(address, addressesMax),
  /** They have a connection of their own by now. */
  isDirect: flag,
})
export type ReachAnswer = Out<typeof reachAnswer>
