// A network's calls as the ring asks for them.

import type { RingCalls } from '../../network/ring/ring.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Network } from '../../platform/network/network.ts'

export function ringCalls(network: Network, services: CallServices): RingCalls {
  const service = services.service('ring')
  return {
    self: network.self,
    addresses: () => network.addresses(),
    learn: (peer, addresses) => network.learn(peer, addresses),
    call: (peer, bytes, options) => service.call(peer, bytes, options),
    answer: (handler) => service.answer(handler),
  }
}
