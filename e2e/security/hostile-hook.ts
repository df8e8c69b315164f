// Loaded into the hostile member's process before the program (`node --import`): the program runs as it is, so the process is a
// real member that crawls and keeps copies, and whoever started it can make it say and answer anything.
//
// Reaches into two classes of the program: CallServices (what is asked and answered) and RealNetwork (bytes below that).
// Orders come over IPC; what they do is in hostile-acts.ts.

import { isMainThread } from 'node:worker_threads'
import { type CallService, CallServices, type ServiceName } from '../../src/platform/calls/call-services.ts'
import type { CallHandler } from '../../src/platform/calls/calls.ts'
import { RealNetwork } from '../../src/platform/real/network/network.ts'
import * as acts from './hostile-acts.ts'

const { announce, answerOf, ask, behave, floodAnnouncements, floodTakedowns, meet, sendRaw, stolenCount } =
  acts
const orders = {
  ...{ announce, answerOf, ask, behave, floodAnnouncements, floodTakedowns, meet, sendRaw, stolenCount },
}
export type ActName = keyof typeof orders

export interface Order {
  readonly id: number
  readonly act: ActName
  readonly given: unknown
}

export interface Report {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

const overrides = new Map<ServiceName, CallHandler>()
let services: CallServices | undefined
let network: RealNetwork | undefined

const realService = CallServices.prototype.service
const realReceive = RealNetwork.prototype.receive

const member: acts.HostileSelf = {
  home: process.argv[process.argv.indexOf('--home') + 1]!,
  service: (name) => realService.call(services!, name),
  network: () => network!,
  override: (name, handler) => {
    if (handler === undefined) overrides.delete(name)
    else overrides.set(name, handler)
  },
}

function hook(): void {
  CallServices.prototype.service = function (this: CallServices, name: ServiceName): CallService {
    services = this
    const service = realService.call(this, name)
    const answer: CallService['answer'] = (handler) =>
      service.answer((from, bytes, context) => (overrides.get(name) ?? handler)(from, bytes, context))
    return { ...service, answer }
  }
  RealNetwork.prototype.receive = function (this: RealNetwork, receiver) {
    network = this
    realReceive.call(this, receiver)
  }
  // Whatever comes back of its own poison must not end the attacker before the attack is over.
  process.on('uncaughtException', (error) => console.error(`hostile: ${error.stack}`))
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => void carryOut(order))
  const behaviour = process.env.HOSTILE_BEHAVIOUR
  if (behaviour !== undefined) behave(member, { how: behaviour as acts.Behaviour })
}

async function carryOut({ id, act, given }: Order): Promise<void> {
  try {
    const result = await (orders[act] as (self: acts.HostileSelf, given: unknown) => unknown)(member, given)
    process.send!({ id, result } satisfies Report)
  } catch (error) {
    process.send!({ id, error: (error as Error).stack ?? String(error) } satisfies Report)
  }
}

if (isMainThread && process.send !== undefined) hook()
