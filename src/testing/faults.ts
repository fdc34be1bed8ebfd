/** Nothing goes wrong; takes a place in a script. */
export interface Pass {
  readonly type: 'pass';
}

/** The connection fails before anything is sent: the server never hears of the request. */
export interface Drop {
  readonly type: 'drop';
}

/** The server does what was asked, and its answer is lost on the way. */
export interface Lose {
  readonly type: 'lose';
}

/** Another answer than the server's. */
export interface StatusFault {
  readonly type: 'status';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value that is sent as JSON. @default no body */
  readonly body?: unknown;
  /** Whether the server did what was asked all the same, as behind a gateway that gave up. @default false */
  readonly processed?: boolean;
}

/** The answer's body breaks off. */
export interface Truncate {
  readonly type: 'truncate';
  /** How many characters arrive. @default half of them */
  readonly at?: number;
  /** Whether the body just ends, instead of failing. @default false */
  readonly silent?: boolean;
}

/** The answer's body is no JSON. */
export interface Malformed {
  readonly type: 'malformed';
  /** What arrives instead. @default '{"broken": ' */
  readonly body?: string;
}

/** The request waits until it is released. */
export interface Hold {
  readonly type: 'hold';
  /** Where: before the server hears of it, or when the server has answered. @default 'request' */
  readonly what?: 'request' | 'answer';
}

/** No answer ever comes: only an abort ends it. */
export interface Hang {
  readonly type: 'hang';
}

/** What happens to one request. */
export type Fault = Pass | Drop | Lose | StatusFault | Truncate | Malformed | Hold | Hang;
/** The faults that need no more than their name. */
export type SimpleFault = Exclude<Fault['type'], 'status'>;
/** What faults are called. */
export type FaultName = Fault['type'];

/** A fault, and which requests it is for. */
export type FaultRule = Fault & {
  /** @default any request */
  readonly on?: (request: SeenRequest) => boolean;
  /** How many requests it is for. @default 1 */
  readonly times?: number;
};

/** Chooses the fault of a request; undefined: none. */
export type FaultChoice = (request: SeenRequest) => Fault | SimpleFault | undefined;

/** A request that was made. */
export interface SeenRequest {
  /** From 1, in the order of the calls. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The body as text; undefined without one. */
  readonly body: string | undefined;
  /** What was done to it; undefined until that is chosen. */
  readonly fault: Fault | undefined;
  /** Whether the server has heard of it. */
  readonly reached: boolean;
  /** Status of the answer that the caller got; undefined while there is none. */
  readonly status: number | undefined;
  /** What the caller got instead of an answer. */
  readonly error: unknown;
  /** Lets it go on, if it is held or will be. */
  release(): void;
}
