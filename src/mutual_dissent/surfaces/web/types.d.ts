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

type Relation = Schemas["View"]["relation"];

// Tables about the panel, as views/panel/tables.py makes them; the document leaves them open.
interface PanelView {
  seat: string;
  relation: Relation | null;
  source: string;
  sentence: string;
}

interface PanelChange {
  kind: "nothing" | "detail" | "yes";
  what: string;
  before: string;
  after: string;
  becauseOf: string[];
}

interface PanelRow {
  seat: string;
  holds: string;
  stance: string | null;
  confidence: number | null;
  estimate: string | null;
  change: PanelChange | null;
  views: PanelView[];
}

interface PanelRound {
  number: number;
  name: string;
  seats: string[];
  rows: PanelRow[];
  silent: string[];
  source: string;
}

interface PanelClaim {
  kind: "position" | "contested" | "common";
  question: string | null;
  claim: string;
  cells: Record<string, { stand: Relation | "other"; sentence: string }>;
}

interface RoundEstimates {
  round: number;
  name: string;
  values: Record<string, { words: string }>;
  median: number | null;
  pooled: Record<string, string>; // way of pooling forecasts -> what it comes to
  unit: string;
  given: number; // estimates that the median is of
  answers: number; // usable answers of the round
}

interface RoundBallots {
  round: number;
  candidates: string[];
  rows: { seat: string; places: Record<string, number> }[];
}

interface RoundCritiques {
  round: number;
  rows: { seat: string; about: Record<string, { strengths?: string[]; weaknesses?: string[] }> }[];
}

interface PanelTables {
  names: Record<string, string>;
  claims: PanelClaim[];
  rounds: PanelRound[];
  decision: { rows: string[][]; notes: string[] } | null;
  estimates: RoundEstimates[];
  ballots: RoundBallots[];
  critiques: RoundCritiques[];
}

type DebateAccount = Omit<Schemas["DebateAccount"], "panel"> & { panel: PanelTables };

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

type Finding = Schemas["OrderedFinding"];

interface AnnotatedLine {
  number?: number;
  text: string;
  sign?: "+" | "-";
  findings?: string[];
}

interface AnnotatedText {
  name: string;
  lines: AnnotatedLine[];
}

interface Citation {
  url: string;
  title?: string;
}

// One debate studied, and two compared: views/research.
interface Studied {
  id: string;
  query: string;
  heading: string;
  caveat: string;
  mode: string;
  row: Row & { rounds: number; calls: number; duration_s: number };
  panel: Panelist[];
  tables: PanelTables;
  ledger: Ledger;
  figures: Figure[];
  flips: {
    seat: string;
    round: string;
    reason: string;
    before: string;
    after: string;
    read: string[];
    towards: string[];
  }[];
  leader: string;
  worth: {
    summary: string;
    spent: string;
    ways: { name: string; whose: string; outcome: string; price: string }[];
  } | null;
  scores: {
    dimensions: string[];
    rows: { seat: string; place: string; marks: Record<string, number>; explanation: string }[];
    findings: string[];
  };
}

interface Measure {
  name: string;
  kind: string;
  a: any;
  b: any;
}

interface Compared {
  measures: Measure[];
  figures: Figure[];
  sides: { answer: string | null; answerBy: string | null }[];
  rounds: { name: string; seats: { seat: string; a: any; b: any }[] }[];
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
  "/ui/settings": AllSettings;
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
            : P extends `/ui/review/${string}`
              ? { texts: AnnotatedText[] }
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

interface Panelist {
  seat: string;
  route: { vendor: string; model_id: string };
  persona: string | null;
  role: string | null;
  perspective: string | null;
  team: string | null;
}

// The brief of a debate, as its first event has it; the page reads a part of it.
interface Brief {
  transcript_id: string;
  query: string;
  mode: string;
  panel: Panelist[];
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
  brief: Brief; // null until the first event is here
  status: string;
  reason: string;
  said: string;
  seq: number;
  begun: string;
  idle: number;
  updated: string;
  rounds: Round[];
  answers: Record<string, Answered>;
  pending: Record<string, Pending>;
  cut: Set<string>;
  writing: string | null;
  syntheses: Answered[];
  notes: { text: string; code?: string }[];
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

interface Tab {
  id: string;
  name: any;
}

interface SettingField {
  name: string;
  value: any;
  source: string;
  fixed: boolean;
  guarded?: boolean;
  what: string;
  about: string;
  default: any;
  choices: string[];
}

interface KeySetting {
  name: string;
  vendor: string;
  ending: string | null;
  source: string;
  fixed: boolean;
}

interface AllSettings {
  file: string;
  notices: string[];
  anyKey: boolean;
  keys: KeySetting[];
  settings: SettingField[];
  aliases: {
    name: string;
    openrouter: string | null;
    direct: string | null;
    vendor: string;
    routing: string;
  }[];
  personas: Record<string, string>;
  presets: { name: string; summary: string; values: Record<string, any> }[];
  presetFields: { name: string; what: string; about: string }[];
}

// What is attached to a query, as the brief has it.
interface Attached {
  name: string;
  text: string;
  picture: { media_type: string; sha256: string; width: number; height: number; size: number } | null;
}

interface TextFile {
  name: string;
  address?: string;
  text: string;
  picture?: { mediaType: string; width: number; height: number };
  data?: string; // the bytes of the picture, in base 64
  more?: TextFile[]; // of a scan, its other pages
}

// A part of a text that is compared with another.
interface Change {
  kind: "same" | "gone" | "new";
  text: string;
}

// What components are given: the same word is the same thing in all of them.
interface Props {
  address: string;
  all: AllSettings;
  answer: Answered | null;
  catalogue: Catalogue;
  change: (more: Partial<Setup>) => void;
  claims: PanelClaim[];
  counted: Schemas["Counted"];
  corrections: Ledger["corrections"];
  estimates: RoundEstimates[];
  figure: Figure;
  id: string;
  ledger: Ledger;
  live: import("/static/app/debate/live.js").Live;
  local: LocalModel;
  missing: string[];
  mode: Mode;
  older: Answered[];
  onClose: () => void;
  open: boolean;
  option: Option;
  orders: ReturnType<typeof import("/static/app/debate/orders.js").useOrders>;
  panelist: Panelist;
  positions: Ledger["positions"];
  quote: { found?: Quoted; wrong?: string };
  r: Answered;
  row: Row;
  rows: Row[];
  said: DebateAccount | null;
  search: Search;
  seats: string[];
  seat: any;
  selection: ReturnType<typeof import("/static/app/research/selection.js").useSelection>;
  session: import("/static/app/debate/session.js").Session;
  setup: Setup;
  start: Start;
  state: DebateState;
  tabs: Tab[];
  title: string;
  [other: string]: any;
}

// Filters, order and page of the research list, as they stand in the address.
type Search = Record<string, string | undefined>;

// What a handler in the page's markup is given, whatever it is a handler of.
type PageEvent = KeyboardEvent &
  MouseEvent &
  InputEvent &
  DragEvent & { target: HTMLInputElement; currentTarget: HTMLElement };

interface KeyEntry {
  key: string;
  run: (event: KeyboardEvent) => void;
  label?: string;
  shown?: string;
}

interface Window {
  __TAURI_INTERNALS__: any; // of the desktop shell, which has no types of its own
}
