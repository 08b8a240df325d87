// A job for each of some packages that many programs have. Those with variants for one kind of machine lie in runtimes/RID/. It prints what comes of it.

using System.Data.SqlClient;
using System.Globalization;
using System.Reflection;
using System.Text;
using AutoMapper;
using Dapper;
using FluentValidation;
using Humanizer;
using Markdig;
using MediatR;
using Microsoft.Data.Sqlite;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using NodaTime;
using NodaTime.Text;
using Org.BouncyCastle.Crypto.Digests;
using Org.BouncyCastle.Crypto.Engines;
using Org.BouncyCastle.Crypto.Generators;
using Org.BouncyCastle.Crypto.Modes;
using Org.BouncyCastle.Crypto.Parameters;
using Org.BouncyCastle.Crypto.Signers;
using Org.BouncyCastle.Math;
using Org.BouncyCastle.Security;
using Polly;
using Polly.Retry;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using YamlDotNet.Serialization;

CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
foreach (var (name, job) in new (string, Func<object>)[] { ("AutoMapper", Jobs.Map), ("BouncyCastle", Jobs.Encrypt), ("CsvHelper", Jobs.Csv), ("Dapper", Jobs.Query),
    ("FluentValidation", Jobs.Validate), ("Humanizer", Jobs.Say), ("Markdig", Jobs.Render), ("MediatR", Jobs.Send), ("Newtonsoft.Json", Jobs.Json),
    ("NodaTime", Jobs.Time), ("Polly", Jobs.Retry), ("Serilog", Jobs.Log), ("SqlClient", Jobs.Connect), ("EventLog", Jobs.Events), ("YamlDotNet", Jobs.Yaml) })
{
    Console.WriteLine($"{name}: {job()}");
}
return 7;

public record Person(string Name, int Age, string Mail);

public class PersonView
{
    public string Name { get; set; } = "";
    public string Born { get; set; } = "";
    public string Mail { get; set; } = "";
}

public record Question(int Number) : IRequest<string>;

public class Answers : IRequestHandler<Question, string>
{
    public async Task<string> Handle(Question question, CancellationToken stop)
    {
        await Task.Yield();
        return "answer " + (question.Number + 1);
    }
}

public class PersonRules : AbstractValidator<Person>
{
    public PersonRules()
    {
        RuleFor(person => person.Name).NotEmpty().MaximumLength(8);
        RuleFor(person => person.Age).InclusiveBetween(0, 150).WithMessage("{PropertyName} is {PropertyValue}");
        RuleFor(person => person.Mail).EmailAddress().When(person => person.Age > 3);
    }
}

class Kept : ILogEventSink
{
    public List<string> Lines { get; } = [];
    public void Emit(LogEvent entry) => Lines.Add(entry.Level + " " + entry.RenderMessage(CultureInfo.InvariantCulture) + " " + entry.Properties.Count);
}

static class Jobs
{
    static readonly Person[] People = [new("Ada", 36, "ada@example.org"), new("Bob", 200, "bob"), new("", 2, "nothing"), new("Carla Maria", 40, "c@d")];

    public static object Map()
    {
        var mapper = new MapperConfiguration(made => made.CreateMap<Person, PersonView>()
            .ForMember(view => view.Born, from => from.MapFrom(person => (2026 - person.Age).ToString()))).CreateMapper();
        return string.Join(' ', mapper.Map<List<PersonView>>(People).Select(view => view.Name + view.Born));
    }

    public static object Encrypt()
    {
        var text = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("plain text ", 30)));
        var digest = new Sha3Digest(256);
        digest.BlockUpdate(text, 0, text.Length);
        var hash = new byte[32];
        digest.DoFinal(hash, 0);
        var cipher = new GcmBlockCipher(new AesEngine());
        cipher.Init(true, new AeadParameters(new KeyParameter(hash), 128, hash[..12]));
        var hidden = new byte[cipher.GetOutputSize(text.Length)];
        var size = cipher.ProcessBytes(text, 0, text.Length, hidden, 0);
        cipher.DoFinal(hidden, size);
        var key = new Ed25519PrivateKeyParameters(hash, 0);
        var signer = new Ed25519Signer();
        signer.Init(true, key);
        signer.BlockUpdate(hidden, 0, hidden.Length);
        var signature = signer.GenerateSignature();
        signer.Init(false, key.GeneratePublicKey());
        signer.BlockUpdate(hidden, 0, hidden.Length);
        return $"{Convert.ToHexString(hash)[..16]} {Convert.ToHexString(hidden)[^16..]} {signer.VerifySignature(signature)} "
            + BigInteger.Three.ModPow(new BigInteger(1, hash), BigInteger.ValueOf(1_000_003)) + " " + Convert.ToHexString(BCrypt.Generate(text[..20], hash[..16], 4))[..16];
    }

    public static object Csv()
    {
        using var text = new StringWriter();
        using (var writer = new CsvHelper.CsvWriter(text, CultureInfo.InvariantCulture))
        {
            writer.WriteRecords(People);
        }
        using var reader = new CsvHelper.CsvReader(new StringReader(text.ToString()), CultureInfo.InvariantCulture);
        return text.ToString().Length + " " + string.Join(' ', reader.GetRecords<Person>().Select(person => person.Name + person.Age));
    }

    public static object Query()
    {
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        connection.CreateFunction("twice", (long n) => n * 2);
        connection.Execute("create table People (Name text, Age integer, Mail text)");
        using (var transaction = connection.BeginTransaction())
        {
            connection.Execute("insert into People values (@Name, @Age, @Mail)", People, transaction);
            transaction.Commit();
        }
        var rows = connection.Query<PersonView>("select Name, twice(Age) as Born, Mail from People where Age < @most order by Age", new { most = 100 });
        string failure;
        try
        {
            connection.Execute("select * from Nowhere");
            failure = "none";
        }
        catch (SqliteException e)
        {
            failure = e.SqliteErrorCode.ToString();
        }
        return string.Join(' ', rows.Select(row => row.Name + row.Born)) + " " + failure + " " + connection.ExecuteScalar<long>("select count(*) from People");
    }

    public static object Validate()
    {
        var rules = new PersonRules();
        return string.Join("; ", People.SelectMany(person => rules.Validate(person).Errors).Select(error => error.ErrorMessage));
    }

    public static object Say() => $"{12345.ToWords()} {TimeSpan.FromMinutes(1507).Humanize(3)} {"man".Pluralize()} {"SomeLongName".Humanize()} {14.ToRoman()} {42.Ordinalize()} "
        + (DateTime.UtcNow.AddHours(-30.5)).Humanize() + " " + (3 << 20).Bytes().Humanize("0.0");

    public static object Render() => Markdown.ToHtml("# A *title*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- `code` <b>x</b> https://example.org\n",
        new MarkdownPipelineBuilder().UseAdvancedExtensions().Build()).ReplaceLineEndings("");

    public static object Send()
    {
        var mediator = new Mediator(type => type == typeof(IRequestHandler<Question, string>) ? new Answers()
            : type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IEnumerable<>) ? Array.CreateInstance(type.GetGenericArguments()[0], 0) : null!);
        return mediator.Send(new Question(41)).Result;
    }

    public static object Json()
    {
        var text = JsonConvert.SerializeObject(new { People, When = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), Deep = new { List = new[] { 1.5, 2 } } }, Formatting.Indented);
        var back = JObject.Parse(text);
        return $"{text.Length} {back.SelectTokens("$.People[?(@.Age > 10)].Name").Count()} {back["People"]!.ToObject<Person[]>()!.SequenceEqual(People)}";
    }

    public static object Time()
    {
        var zone = DateTimeZoneProviders.Tzdb["Europe/Rome"];
        var day = new LocalDate(2026, 3, 29);
        var at = Instant.FromUtc(2026, 3, 29, 0, 59, 59).InZone(zone);
        return $"{at} {at.PlusSeconds(1)} {zone.AtStartOfDay(day).PlusHours(3)} {Period.Between(day, new LocalDate(2027, 1, 1))} "
            + LocalDatePattern.Iso.Parse("2026-13-01").Success + " " + day.WithCalendar(CalendarSystem.Coptic);
    }

    public static object Retry()
    {
        var tries = 0;
        var pipeline = new ResiliencePipelineBuilder<int>().AddRetry(new RetryStrategyOptions<int>
        {
            MaxRetryAttempts = 4,
            Delay = TimeSpan.Zero,
            ShouldHandle = new PredicateBuilder<int>().Handle<InvalidOperationException>().HandleResult(n => n < 3),
        }).Build();
        var got = pipeline.Execute(() => ++tries == 1 ? throw new InvalidOperationException() : tries);
        var old = Policy.Handle<FormatException>().WaitAndRetryAsync(2, _ => TimeSpan.Zero);
        var failed = old.ExecuteAndCaptureAsync(async () => { await Task.Yield(); tries++; return int.Parse("x"); }).Result;
        return $"{got} {failed.Outcome} {tries}";
    }

    public static object Log()
    {
        var kept = new Kept();
        using (var log = new LoggerConfiguration().MinimumLevel.Debug().Enrich.WithProperty("Part", 1).Destructure.ByTransforming<Person>(person => new { person.Name }).WriteTo.Sink(kept).CreateLogger())
        {
            log.ForContext<Person>().Information("saw {@Person} of {Count,4:000}", People[0], 7);
            log.Verbose("nothing");
            log.Error(new IOException("x"), "failed {List}", new[] { 1, 2 });
        }
        return string.Join(" | ", kept.Lines);
    }

    public static object Connect()
    {
        var built = new SqlConnectionStringBuilder("Server=localhost;Database=shop;Integrated Security=false;Connect Timeout=9") { UserID = "u" };
        using var command = new SqlCommand("select @a") { CommandTimeout = 7 };
        command.Parameters.AddWithValue("@a", 4.5m);
        string failure;
        try
        {
            using var connection = new SqlConnection("Server=tcp:127.0.0.1,1;User ID=u;Password=p;Connect Timeout=3");
            connection.Open();
            failure = "none";
        }
        catch (Exception e)
        {
            failure = e.GetType().Name;
        }
        return $"{built} {command.Parameters[0].SqlDbType} {failure} {Place(typeof(SqlConnection))}";
    }

    public static object Events()
    {
        string failure;
        try
        {
            failure = System.Diagnostics.EventLog.Exists("x").ToString();
        }
        catch (PlatformNotSupportedException)
        {
            failure = "not here";
        }
        return failure;
    }

    public static object Yaml()
    {
        var text = new SerializerBuilder().Build().Serialize(new { people = People.Select(person => new { person.Name, person.Age }).ToArray(), flags = new Dictionary<string, bool> { ["a"] = true } });
        var back = new DeserializerBuilder().Build().Deserialize<Dictionary<string, object>>(text);
        return text.Length + " " + ((List<object>)back["people"]).Count;
    }

    static string Place(Type type) => string.Join('/', type.Assembly.Location.Split('/').SkipWhile(part => part != "runtimes"));
}
