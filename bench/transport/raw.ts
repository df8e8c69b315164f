// Libp2p as it comes, with the same transport, encryption and muxer as ours, to compare with: one stream, no framing, no
// requests.

import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2p } from 'libp2p'

export const echoProtocol = '/bench/echo/1'
export const sinkProtocol = '/bench/sink/1'

export type RawStream = Awaited<ReturnType<Awaited<ReturnType<Libp2p['dial']>>['newStream']>>

export function startRaw(listen: string[]): Promise<Libp2p> {
  return createLibp2p({
    addresses: { listen },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
  })
}

/** Gives back every byte, or swallows them and tells at each megabyte. */
export async function answerRaw(node: Libp2p): Promise<void> {
  await node.handle(echoProtocol, (stream) => {
    stream.addEventListener('message', ({ data }) => stream.send(data.subarray()))
  })
  await node.handle(sinkProtocol, (stream) => {
    let bytes = 0
    stream.addEventListener('message', ({ data }) => {
      bytes += data.byteLength
      while (bytes >= 1_000_000) {
        bytes -= 1_000_000
        stream.send(new Uint8Array(1))
      }
    })
  })
}

export async function openRaw(node: Libp2p, address: string, protocol: string): Promise<RawStream> {
  const connection = await node.dial(multiaddr(address))
  return connection.newStream(protocol)
}
