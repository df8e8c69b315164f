// A process that can be stopped for a while, as SIGSTOP does: time goes on, what is due and what comes waits for it.

import type { Clock, Timer } from '../../src/platform/clock.ts'
import { sleepOn } from '../../src/platform/clock.ts'
import type { Message, Network } from '../../src/platform/network/network.ts'

export class Pause {
  #isPaused = false
  #deferred: (() => void)[] = []

  begin(): void {
    this.#isPaused = true
  }

  end(): void {
    this.#isPaused = false
    for (const task of this.#deferred.splice(0)) task()
  }

  run(task: () => void): void {
    if (this.#isPaused) this.#deferred.push(task)
    else task()
  }

  clock(clock: Clock): Clock {
    const paused: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, task): Timer => {
        let isCancelled = false
        const timer = clock.after(delayMs, () =>
          this.run(() => {
            if (!isCancelled) task()
          }),
        )
        return {
          cancel: () => {
            isCancelled = true
            timer.cancel()
          },
        }
      },
      sleep: (delayMs, signal) => sleepOn(paused, delayMs, signal),
    }
    return paused
  }

  network(network: Network): Network {
    return {
      self: network.self,
      messageBytesMax: network.messageBytesMax,
      addresses: () => network.addresses(),
      learn: (peer, addresses) => network.learn(peer, addresses),
      send: (to, bytes, channel) => network.send(to, bytes, channel),
      receive: (receiver: (message: Message) => void) =>
        network.receive((message) => this.run(() => receiver(message))),
      close: () => network.close(),
    }
  }
}
