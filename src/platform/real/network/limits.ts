// What one peer may cost us, and what all of them together may.

export interface NetworkLimits {
  /** The largest message. Larger ones hold up what is behind them for longer, and take memory at both ends. */
  messageBytesMax: number
  /** What may wait to be sent to one peer on one channel before more is refused. */
  queueBytesMax: number
  /** Connections in all. More reach more peers in one step; each takes memory and a file handle. */
  connectionsMax: number
  /** Of those, how many are kept for connections that we make: strangers cannot take them. */
  connectionsOutboundMin: number
  /** Connections of one peer: two dial each other at once, and a new one may come before the old one is known dead. */
  connectionsPerPeerMax: number
  /** New connections in a second from one address. Behind one address there may be many peers, or one that floods. */
  connectionsPerSecondMax: number
  /** Connections without a greeting yet. Beyond this, a new one replaces the oldest. */
  connectionsPendingMax: number
  /** Of those, from one address. */
  connectionsPendingPerAddressMax: number
  /** How long one of them may take: through the exchange of keys to the end of the greeting. Shorter leaves less to those who
   * only hold places, and gives up on slow lines. */
  pendingMsMax: number
  /** Messages in a second from one peer on the control channel. Faster ones are read more slowly. */
  messagesPerSecondMax: number
  /** Bytes in a second from one peer on the control channel. */
  bytesPerSecondMax: number
  /** How long to try to reach a peer. Shorter finds dead ones sooner, and gives up on slow ones. */
  dialMsMax: number
  /** How long a peer may take to say who it is. */
  greetingMsMax: number
  /** After so long without a message a keep-alive is requested. */
  beatMs: number
  /** After so long without any sign of life the connection is closed: the next message makes a new one. */
  silenceMsMax: number
  /** A connection that carried no message for so long is closed. */
  idleMsMax: number
  /** Who refused us, or was refused, is not tried again for so long. */
  refusalMs: number
}

export const networkLimitsDefault: NetworkLimits = {
  messageBytesMax: 4 * 1024 * 1024,
  queueBytesMax: 16 * 1024 * 1024,
  connectionsMax: 512,
  connectionsOutboundMin: 128,
  connectionsPerPeerMax: 3,
  connectionsPerSecondMax: 50,
  connectionsPendingMax: 128,
  connectionsPendingPerAddressMax: 32,
  pendingMsMax: 6_000,
  messagesPerSecondMax: 100_000,
  bytesPerSecondMax: 64 * 1024 * 1024,
  dialMsMax: 10_000,
  greetingMsMax: 10_000,
  beatMs: 3_000,
  silenceMsMax: 10_000,
  idleMsMax: 600_000,
  refusalMs: 10_000,
}
