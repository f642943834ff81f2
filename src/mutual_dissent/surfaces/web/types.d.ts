// Types of the pages, for `make check` alone: what the server answers, and what is folded from it. Answers of
// /api are generated from docs/openapi.json; those of /ui serve the pages only and are written here.

declare module "/static/vendor/*";

type Schemas = import("openapi").components["schemas"];
type Following = import("openapi").paths["/api/sessions/{session_id}/events"]["get"];
type Message = Following["responses"][200]["content"]["text/event-stream"];
// Those that make up a debate; how it turned out (`resolved`) is said of it long after it was followed.
type EventKind = Exclude<Message["event"], "tokens">;
type Mode = Schemas["ExplainedMode"];
type Option = Schemas["OptionEntry"];
type Alias = Schemas["KnownAlias"];
type Quoted = Schemas["QuotedDebate"];
type Ledger = Schemas["Ledger"];

// Tables about the panel have a shape for every mode, and are open in the document too.
type DebateAccount = Omit<Schemas["DebateAccount"], "panel"> & { panel: any };

interface LocalModel {
  runtime: boolean;
  here: boolean;
  running: boolean;
  fetched: number;
  total: number;
  problem: string;
  models: Record<string, number>;
}

interface Start {
  anyKey: boolean;
  ready: boolean;
  mode: string;
  vendors: Record<string, string>; // name -> what its keys begin with
  server: string;
  running: string[];
  local: LocalModel;
}

interface Row {
  transcript_id: string;
  query: string;
  status: string;
  mode: string;
  preset: string | null;
  panel: string[];
  models: string[];
  agreement: number | null;
  score: number | null;
  cost: number | null;
  unpriced: boolean;
  tokens: number;
  rating: number | null;
  tags: string[];
  experiment_id: string | null;
  created_at: string;
}

interface RowPage {
  items: Row[];
  total: number;
  offset?: number;
}

interface Figure {
  name: string;
  title: string;
  svg: string;
  note: string;
  wide: boolean;
}

interface StudyOfMany {
  figures: Figure[];
  studied: number;
  headlines: { name: string; value: string; note: string }[];
  unread?: number;
  left_out?: number;
  unreadable?: number;
  one_model?: number;
}

type ForecastPage = Schemas["Forecasts"] & { figures: Figure[] };

interface ExperimentPage {
  items: any[];
  total?: number;
}

interface Answers {
  "/api/chat": Schemas["Session"];
  "/api/quote": Quoted;
  "/api/modes": Schemas["Modes"];
  "/api/models": Schemas["Models"];
  "/api/presets": Schemas["Presets"];
  "/api/options": Schemas["DebateOptions"];
  "/ui/start": Start;
  "/ui/start/local": Start;
  "/ui/start/key": Start & { model: string; said: string };
  "/ui/start/sample": { events: any[]; view: any; said: DebateAccount };
  "/ui/experiments": ExperimentPage;
  "/ui/research/study": StudyOfMany;
  "/ui/research/forecasts": ForecastPage;
  "/ui/research/outcomes": { outcomes: Record<string, string>; unread: string[] };
  "/ui/research/forget": { forgotten: string[]; kept: { why: string }[] };
  "/ui/research/choices": Record<string, string[]>;
}

// What comes back from an address. A stored transcript is open, and so is what /ui has beyond the list above.
type AnswerTo<P extends string> = P extends keyof Answers
  ? Answers[P]
  : P extends `/api/sessions?${string}`
    ? Schemas["SessionList"]
    : P extends `/api/sessions/${string}/account`
      ? DebateAccount
      : P extends `/api/sessions/${string}/decide`
        ? Schemas["Counted"]
        : P extends `/api/conversations/${string}`
          ? Schemas["Conversation"]
          : P extends `/api/models${string}`
            ? Schemas["Models"]
            : P extends `/api/sessions/${string}` | `/ui/${string}`
              ? any
              : unknown;

interface Catalogue {
  start: Start;
  mode: string;
  options: Option[];
  modes: Mode[];
  personas: Schemas["Modes"]["personas"];
  rules: Schemas["Modes"]["rules"];
  aliases: Alias[];
  presets: Schemas["Presets"]["presets"];
}

// One answer, as its event has it; what a mode's form asks for comes on top.
interface Answered {
  key: string;
  at: string;
  seq: number;
  reused: boolean;
  old?: boolean;
  role: string;
  round_number: number;
  model_alias: string;
  content: string;
  error: string | null;
  finish: string;
  cost_usd: number | null;
  latency_ms: number;
  input_tokens: number;
  output_tokens: number;
  [more: string]: any;
}

interface Pending {
  key: string;
  seat: string;
  role: string;
  round: number;
  at: string;
}

interface Round {
  number: number;
  role: string;
  seats: string[];
  keys: Record<string, string>;
  measures: any; // differ by mode
}

// A debate as it is folded from its events.
interface DebateState {
  brief: any;
  status: string;
  reason: string;
  said: string;
  seq: number;
  begun: string;
  updated: string;
  rounds: Round[];
  answers: Record<string, Answered>;
  pending: Record<string, Pending>;
  cut: Set<string>;
  writing: string | null;
  syntheses: Answered[];
  notes: { text: string }[];
  remarks: { text: string; at: string; after: number }[];
  scores: Record<string, Record<string, unknown>>;
  replaced: Answered[];
  names?: Record<string, string>;
}

interface SeatChoice {
  model: string;
  persona?: string;
  role?: string;
  team?: string;
}

// What was chosen in the form: the seats, and a value for each option by its name.
interface Setup {
  seats: SeatChoice[] | null;
  [option: string]: any;
}

// What components are given: the same word is the same thing in all of them.
interface Props {
  answer: Answered | null;
  catalogue: Catalogue;
  change: (more: Partial<Setup>) => void;
  counted: Schemas["Counted"];
  corrections: Ledger["corrections"];
  figure: Figure;
  ledger: Ledger;
  local: LocalModel;
  mode: Mode;
  older: Answered[];
  option: Option;
  orders: ReturnType<typeof import("/static/app/debate/orders.js").useOrders>;
  positions: Ledger["positions"];
  quote: { found?: Quoted; wrong?: string };
  r: Answered;
  row: Row;
  rows: Row[];
  said: DebateAccount | null;
  search: Search;
  seat: any;
  selection: ReturnType<typeof import("/static/app/research/selection.js").useSelection>;
  session: import("/static/app/debate/session.js").Session;
  setup: Setup;
  start: Start;
  state: DebateState;
  [other: string]: any;
}

// Filters, order and page of the research list, as they stand in the address.
type Search = Record<string, string | undefined>;

interface KeyEntry {
  key: string;
  run: (event: KeyboardEvent) => void;
  label?: string;
  shown?: string;
}

interface Window {
  __TAURI_INTERNALS__: any; // of the desktop shell, which has no types of its own
}
